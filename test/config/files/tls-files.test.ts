import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readTls } from '../../../src/config/files/tls-files.ts';
import { userFile } from '../../support/user-files.ts';

const directory = fileURLToPath(new URL('../../vectors/tls/', import.meta.url));
const place = { directory };
const bytes = (name: string) => readFileSync(`${directory}${name}`);

t.test('the files of `tls` are read by their keys', async (t) => {
  const read = readTls({ cert: 'server.crt', key: 'server.key', client_ca: 'authority.crt' }, place);
  t.strictSame(read, {
    ok: true,
    pem: { cert: bytes('server.crt'), key: bytes('server.key'), client_ca: bytes('authority.crt') },
  });
});

t.test('each file is checked completely, and every wrong one is reported by its key', async (t) => {
  const half = `${bytes('authority.crt')}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
  const ca = userFile(t, half);
  t.match(readTls({ ca, cert: 'server.crt', key: 'server.crt', client_ca: 'nowhere.crt' }, place), {
    ok: false,
    faults: [
      { key: 'ca', message: `the file ${ca} has no usable certificate` },
      { key: 'key', message: 'the file server.crt has no usable private key' },
      { key: 'client_ca', message: /^the file nowhere\.crt / },
    ],
  });
});

t.test('a private key that does not belong to the certificate is reported at `key`', async (t) => {
  t.strictSame(readTls({ cert: 'client.crt', key: 'server.key' }, place), {
    ok: false,
    faults: [{ key: 'key', message: 'the file server.key is not the key of the certificate in client.crt' }],
  });
});

t.test('a certificate without a key is not read, and neither is a key without a certificate', async (t) => {
  const ca = 'authority.crt';
  t.strictSame(readTls({ ca, cert: 'nowhere.crt' }, place), { ok: true, pem: { ca: bytes(ca) } });
  t.strictSame(readTls({ key: 'nowhere.key' }, place), { ok: true, pem: {} });
});
