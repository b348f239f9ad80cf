import t from 'tap';
import { openTab, type Tab } from '../authorization/browser/walk.ts';
import { loggedIn, runProvider } from '../authorization/openid/provider.ts';
import { witness } from '../support/witness.ts';
import { refusedWithinASecond } from './refused-in-time.ts';
import { follow } from './revoked.ts';

for (const access_token_format of ['jwt', 'opaque'] as const)
  t.test(
    `a logout at the provider ends ${access_token_format} tokens of the session within a second at two gateways`,
    async (t) => {
      const [upstream, service] = [await witness(t), await runProvider(t, { client: { access_token_format } })];
      const changes = { issuer: service.issuer };
      const gateways = [
        await follow(t, upstream, service, { changes }),
        await follow(t, upstream, service, { changes }),
      ];
      const scope = 'openid orders.read';
      const elsewhere = await loggedIn(service, { scope });
      let tab: Tab;
      await refusedWithinASecond(t, gateways, async () => {
        tab = openTab(service);
        const { access_token, id_token } = await loggedIn(service, { scope }, tab);
        for (const each of gateways) t.equal(await each.said(access_token), '200');
        t.equal((await tab.get(`/oauth2/logout?id_token_hint=${id_token}`)).status, 303);
        return access_token;
      });
      for (const each of gateways) t.equal(await each.said(elsewhere.access_token), '200', 'another session');
    },
  );

t.test('a gateway accepts no ID token in place of an access token', async (t) => {
  const [upstream, service] = [await witness(t), await runProvider(t)];
  const gateway = await follow(t, upstream, service, { changes: { issuer: service.issuer } });
  const { id_token } = await loggedIn(service, { scope: 'openid orders.read' });
  t.match(await gateway.said(id_token), /^401 /);
});
