import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { connectOptions, trustOf } from '../../../src/gateway/server-client/trust.ts';
import { userFile } from '../../support/user-files.ts';

const place = { directory: '/' };

t.test('without a file of its own a server is vouched for by whom the system trusts', async (t) => {
  t.strictSame(trustOf({}, place), { kind: 'system' });
  t.strictSame(Object.keys(connectOptions({ kind: 'system' })), [
    'rejectUnauthorized',
    'checkServerIdentity',
    'timeout',
  ]);
});

t.test('with one, by that file alone; a file that went bad lets nobody vouch', async (t) => {
  const ca = userFile(t, `${rootCertificates[0]}\n`);
  const trust = trustOf({ tls: { ca } }, place);
  t.strictSame(trust, { kind: 'only', pem: readFileSync(ca, 'latin1') });
  t.match(connectOptions(trust), { rejectUnauthorized: true, ca: readFileSync(ca, 'latin1') });
  t.strictSame(trustOf({ tls: { ca: userFile(t, 'no certificate') } }, place), { kind: 'nobody' });
  t.strictSame(trustOf({ tls: { ca: '/nowhere/ca.pem' } }, place), { kind: 'nobody' });
});

t.test('a certificate is always looked at', async (t) => {
  for (const trust of [{ kind: 'system' }, { kind: 'nobody' }, { kind: 'only', pem: 'x' }] as const)
    t.match(connectOptions(trust), { rejectUnauthorized: true });
});
