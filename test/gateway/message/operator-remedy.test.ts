import t from 'tap';
import { entry } from '../../../src/gateway/message/codes.ts';
import { operatorRemedy } from '../../../src/gateway/message/operator-remedy.ts';

const LINE = 'The log line with `"server":"main"` names the URL and the fault. `gatehouse doctor` tests the server.';

t.test('an outage of a server tells the operator what to correct, not when to retry', async (t) => {
  const rows: readonly (readonly [reason: string | undefined, remedy: string])[] = [
    ['authorization_servers.main: metadata: status 500', LINE],
    [
      "authorization_servers.main: status 401: the server rejects this gateway's client_id or its secret",
      'Correct `client_id` and `client_secret` of `authorization_servers.main`.',
    ],
    ['authorization_servers.main: metadata: CERT_HAS_EXPIRED', `Its certificate has expired: renew it there. ${LINE}`],
    [undefined, 'The log line of the server names the URL and the fault. `gatehouse doctor` tests the server.'],
  ];
  for (const [reason, remedy] of rows) t.equal(operatorRemedy('authorization_server_unavailable', reason), remedy);
});

t.test('every other code has its own remedy', async (t) => {
  t.equal(operatorRemedy('token_expired', 'CERT_HAS_EXPIRED'), entry('token_expired').remedy);
});
