import t from 'tap';
import type { GrantType } from '../../src/config/schema/authorization.ts';
import { code, redeem, refresh, tokens } from '../authorization/grant-flow.ts';
import { configuration, run } from '../authorization/running-service.ts';

function webWith(...grant_types: GrantType[]) {
  return configuration().clients.map((client) => (client.client_id === 'web' ? { ...client, grant_types } : client));
}

// CVE-2026-7571: a client used a disabled grant with a credential that it already had.
t.test(
  'advisory 65: the service checks that a grant is allowed when it issues tokens, not when the grant begins',
  async (t) => {
    const first = await run(t);
    const [text, begun] = [await code(first), await tokens(first)];
    await first.stop();
    const clients = webWith('client_credentials');
    const second = await run(t, { directory: first.directory, config: { clients } });
    for (const answer of [await redeem(second, text), await refresh(second, begun.refresh_token)]) {
      t.equal(answer.status, 400);
      t.match(await answer.json(), { error: 'unauthorized_client' });
    }
  },
);

t.test('advisory 65: no request parameter enables a grant', async (t) => {
  const service = await run(t);
  const asked = { response_type: 'token', client_id: 'web', grant_types: 'implicit', grant_type: 'implicit' };
  const response = await fetch(`${service.url}/oauth2/authorize?${new URLSearchParams(asked)}`, { redirect: 'manual' });
  t.match(response.headers.get('location'), /error=unauthorized_client/);
});
