import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { connectOptions, trustOf } from '../../../src/gateway/server-client/trust.ts';
import { userFile } from '../../support/user-files.ts';

const place = { directory: '/' };

t.test("without a CA file, the system's authorities are trusted", async (t) => {
  t.strictSame(trustOf({}, place), { kind: 'system' });
  t.strictSame(Object.keys(connectOptions({ kind: 'system' })), [
    'rejectUnauthorized',
    'checkServerIdentity',
    'timeout',
  ]);
});

t.test('with a CA file only its authorities are trusted; a file that became invalid trusts none', async (t) => {
  const ca = userFile(t, `${rootCertificates[0]}\n`);
  const trust = trustOf({ tls: { ca } }, place);
  t.strictSame(trust, { kind: 'only', pem: readFileSync(ca, 'latin1') });
  t.match(connectOptions(trust), { rejectUnauthorized: true, ca: readFileSync(ca, 'latin1') });
  t.strictSame(trustOf({ tls: { ca: userFile(t, 'no certificate') } }, place), { kind: 'none' });
  t.strictSame(trustOf({ tls: { ca: '/nowhere/ca.pem' } }, place), { kind: 'none' });
});

t.test('a certificate is always verified', async (t) => {
  for (const trust of [{ kind: 'system' }, { kind: 'none' }, { kind: 'only', pem: 'x' }] as const)
    t.match(connectOptions(trust), { rejectUnauthorized: true });
});
