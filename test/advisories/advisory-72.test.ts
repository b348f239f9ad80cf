import t from 'tap';
import { code, redeem, tokens } from '../authorization/grant-flow.ts';
import { run } from '../authorization/running-service.ts';

const assertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

// CVE-2020-15222, CVE-2020-5300: an assertion was accepted twice, by another process or after a restart.
t.test('advisory 72: the service accepts no assertions, so none can be replayed', async (t) => {
  const service = await run(t);
  const { access_token: jwt } = await tokens(
    service,
    {},
    { id: 'web-jwt', secret: 'cs_web-secret-of-32-bytes-or-more' },
  );
  const form = { client_assertion_type: assertion, client_assertion: jwt, client_id: 'web-jwt' };
  const asClient = await service.post('/oauth2/token', { grant_type: 'client_credentials', ...form });
  t.equal(asClient.status, 401);
  const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const asGrant = await service.post('/oauth2/token', { grant_type: bearer, assertion: jwt, client_id: 'app' });
  t.match(await asGrant.json(), { error: 'unsupported_grant_type' });
});

t.test(
  'advisory 72: a credential that works once is also used up for another process and after a restart',
  async (t) => {
    const first = await run(t);
    const beside = await run(t, { directory: first.directory });
    const text = await code(first);
    t.equal((await redeem(first, text)).status, 200);
    t.equal((await redeem(beside, text)).status, 400);
    await Promise.all([first.stop(), beside.stop()]);
    const again = await run(t, { directory: first.directory });
    t.equal((await redeem(again, text)).status, 400);
  },
);
