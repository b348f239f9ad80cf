import { Client } from 'pg';
import t from 'tap';
import { postgresAddress } from '../../../src/storage/postgres/url.ts';

const parts = (location: string) => {
  const { client, shown } = postgresAddress(location, '/');
  return { ...client, shown };
};

t.test('the parts of a URL are decoded, and the shown form has no password', async (t) => {
  t.match(parts('//al%40ice:p%3Aw%2F%23@db.example:5433/my%20shop'), {
    user: 'al@ice',
    password: 'p:w/#',
    host: 'db.example',
    port: 5433,
    database: 'my shop',
    ssl: false,
    application_name: 'gatehouse',
    shown: 'postgres://db.example:5433/my%20shop',
  });
  t.match(parts('//u@[::1]/d'), { host: '::1', shown: 'postgres://[::1]/d' });
  t.match(parts('//u@%2Frun%2Fpostgresql/d?application_name=a'), { host: '/run/postgresql', application_name: 'a' });
  t.match(parts('///d?host=/run/postgresql'), { host: '/run/postgresql', database: 'd' });
});

t.test('parts that the URL omits come from the environment', async (t) => {
  const { client } = postgresAddress('//db.example', '/');
  t.strictSame(Object.keys(client).sort(), ['application_name', 'host', 'ssl']);
});

t.test('whether TLS is used never comes from the environment', async (t) => {
  const before = process.env.PGSSLMODE;
  t.teardown(() => {
    if (before === undefined) delete process.env.PGSSLMODE;
    else process.env.PGSSLMODE = before;
  });
  process.env.PGSSLMODE = 'no-verify';
  t.equal(new Client(postgresAddress('//h/d', '/').client).ssl, false);
  t.strictSame(new Client(postgresAddress('//h/d?sslmode=require', '/').client).ssl, { rejectUnauthorized: true });
});

t.test('every mode with TLS verifies the certificate, and all but verify-ca its name', async (t) => {
  for (const mode of ['require', 'verify-full'])
    t.strictSame(parts(`//h/d?sslmode=${mode}`).ssl, { rejectUnauthorized: true });
  t.equal(parts('//h/d?sslmode=disable').ssl, false);
});

const wrong: Readonly<Record<string, RegExp>> = {
  '//u:secret@h:port/d': /not a PostgreSQL URL: write postgres:/,
  '//u:secret@h/d#f': /not a PostgreSQL URL/,
  '//u:%zz-secret@h/d': /not a PostgreSQL URL/,
  'u:secret@h/d': /not a PostgreSQL URL/,
  '/secret': /not a PostgreSQL URL/,
  '//u:secret@h/d?sslmode=prefer': /sslmode=prefer is not possible: write one of disable, require/,
  '//u:secret@h/d?sslmode=no-verify': /sslmode=no-verify is not possible/,
  '//u:secret@h/d?sslmode=constructor': /sslmode=constructor is not possible/,
  '//u:secret@h/d?sslmode=verify-ca': /needs sslrootcert=FILE/,
  '//u:secret@h/d?sslmod=require': /unknown parameter sslmod: use one of host, sslmode/,
  '//u:secret@h/d?sslrootcert=nowhere.pem': /file \/nowhere\.pem of sslrootcert cannot be read/,
};

t.test('a message says what is wrong with a URL, and not the password', async (t) => {
  for (const [location, message] of Object.entries(wrong)) {
    t.throws(() => postgresAddress(location, '/'), { name: 'StorageUnusable', message }, location);
    try {
      postgresAddress(location, '/');
    } catch (error) {
      t.ok(error instanceof Error && !`${error.message}${JSON.stringify(error)}${error.stack}`.includes('secret'));
    }
  }
});
