import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { serving } from '../../support/serving.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';

const audience = 'https://api.example.com';

async function provider(t: Test, isSessionRequired: boolean) {
  let serve: RequestListener = (_request, response) => response.destroy();
  const issuer = await serving(
    t,
    createServer((request, response) => serve(request, response)),
  );
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'signing', alg: 'ES256', use: 'sig' };
  const open = (backchannel_logout_uri: string) => {
    const made = new Provider(issuer, {
      jwks: { keys: [key] },
      cookies: { keys: ['cookies-of-the-tests'] },
      // By default, it sends nothing to addresses of this machine.
      fetch: (url: string, init: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, { ...init, dispatcher: undefined } as never),
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      clients: [
        {
          client_id: 'shop',
          client_secret: 'shop-secret-of-32-bytes-or-so-ok',
          redirect_uris: ['https://shop.example.com/callback'],
          id_token_signed_response_alg: 'ES256',
          backchannel_logout_uri,
          backchannel_logout_session_required: isSessionRequired,
        },
      ],
    });
    serve = made.callback();
    return made as unknown as {
      readonly Client: { find(id: string): Promise<{ backchannelLogout(sub: string, sid: string): Promise<void> }> };
    };
  };
  const token = (claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: issuer, aud: audience, scope: 'orders.read', iat: now, exp: now + 300, ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'signing' }).sign(privateKey);
  };
  return { issuer, open, token };
}

for (const isSessionRequired of [true, false])
  t.test(`logout tokens of oidc-provider end its tokens; with a session: ${isSessionRequired}`, async (t) => {
    const [upstream, foreign] = [await witness(t), await provider(t, isSessionRequired)];
    const main = {
      issuer: foreign.issuer,
      audience,
      algorithms: ['ES256'],
      verify: 'jwt',
      backchannel_logout: { audiences: ['shop'] },
    };
    const running = await gateway(
      t,
      behind(upstream.url, {
        development: true,
        authorization_servers: { main },
        receiver: { listen: '127.0.0.1:0' },
      }),
    );
    const shop = await foreign.open(`${running.receiverUrl}/backchannel-logout/main`).Client.find('shop');
    const said = async (token: string) =>
      (await fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } })).status;
    const [ended, other, bob] = await Promise.all([
      foreign.token({ sub: 'alice', sid: 's1' }),
      foreign.token({ sub: 'alice', sid: 's2' }),
      foreign.token({ sub: 'bob', sid: 's3' }),
    ]);
    for (const token of [ended, other, bob]) t.equal(await said(token), 200);
    await shop.backchannelLogout('alice', 's1');
    t.ok(await until(async () => (await said(ended)) === 401));
    t.equal(await said(other), isSessionRequired ? 200 : 401, 'without a session, all of the user end');
    t.equal(await said(bob), 200);
  });
