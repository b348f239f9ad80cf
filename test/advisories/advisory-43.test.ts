import t from 'tap';
import { issuer } from '../support/tokens.ts';
import { bench } from './bench.ts';

const resource = 'https://api.example.com';

/** CVE-2026-3635: protocol and host came from the client. */
t.test('advisory 43: the gateway builds addresses from the configuration, never from Host', async (t) => {
  const { send } = await bench(t, { resource });
  const metadata = '/.well-known/oauth-protected-resource';
  const document = await send({ target: metadata });
  t.match(JSON.parse(document.body.toString()), { resource, authorization_servers: [issuer] });
  for (const host of ['evil.example', 'evil.example:8443', '[::1]:1', '127.0.0.1']) {
    t.equal((await send({ target: metadata, host })).status, 404, `${host}: the resource is not there`);
    const challenge = (await send({ target: '/orders/1', host })).header('www-authenticate') ?? '';
    t.match(challenge, `resource_metadata="${resource}${metadata}"`, host);
    t.notMatch(challenge, /evil|::1|127\.0/, host);
  }
});
