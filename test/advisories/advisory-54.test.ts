import t from 'tap';
import { jwt } from '../support/tokens.ts';
import { bench } from './bench.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const routes = [
  { id: 'scope', match: { path: '/scope' }, scope: 'orders.read' },
  { id: 'authenticated', match: { path: '/authenticated' }, access: 'authenticated' },
  { id: 'optional', match: { path: '/optional' }, access: 'optional' },
];

async function malformed(): Promise<string[]> {
  const good = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  const [head = '', claims = ''] = good.split('.');
  const jwe = [encode({ alg: 'dir', enc: 'A128GCM' }), '', 'AAAA', 'AAAA', 'AAAA'].join('.');
  const tokens = [
    'null',
    'undefined',
    '{}',
    '.',
    '..',
    '....',
    jwe,
    `${head}.${claims}`,
    `${head}.${claims}.`,
    `${good}.a`,
  ];
  const values = ['', 'Bearer', 'Bearer ', 'Bearer\t', 'Bearer,', 'Basic', 'Digest', 'Token x', good, `Bearer=${good}`];
  return [
    ...values,
    ...tokens.map((token) => `Bearer ${token}`),
    `Bearer "${good}"`,
    `Bearer ${good},`,
    `Bearer ${good} x`,
  ];
}

/** CVE-2026-49230: by default, a request without a readable token passed. */
t.test('advisory 54: a missing or malformed token passes no protected route', async (t) => {
  const { send, upstream } = await bench(t, { routes });
  for (const target of ['/scope', '/authenticated']) {
    t.equal((await send({ target })).status, 401, 'missing');
    for (const value of await malformed())
      t.ok(
        [400, 401].includes((await send({ target, headers: [['Authorization', value]] })).status),
        `${target} ${value}`,
      );
  }
  t.equal(upstream.seen.length, 0);
});

t.test('advisory 54: where a token is optional, an unreadable token identifies no caller', async (t) => {
  const { send, upstream } = await bench(t, { routes });
  for (const value of (await malformed()).filter((each) => each.startsWith('Bearer '))) {
    await send({ target: '/optional', headers: [['Authorization', value]] });
    t.strictSame(upstream.seen.pop()?.all('x-auth-subject') ?? [], [], value);
  }
  t.equal((await send({ target: '/optional' })).status, 200);
  t.equal(upstream.seen.length, 1);
});
