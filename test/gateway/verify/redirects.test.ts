import t, { type Test } from 'tap';
import { statusFault } from '../../../src/gateway/server-client/status-fault.ts';
import { type Endpoint, endpoint, json } from '../../support/endpoint.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { signingKey } from '../../support/keys.ts';
import { ask } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { active, audience, jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';

const STATUSES = [301, 302, 303, 307, 308];
const KID = 'A'.repeat(22);
const client = { client_id: 'gateway', client_secret: 'gateway-secret-of-32-bytes-or-so' };

interface Fetch {
  /** The path of this request; only there a redirect answers. */
  readonly path: RegExp;
  /** The block of the server, whose addresses all lead to it. */
  readonly block: (url: string) => object;
  readonly token: (issuer: string) => Promise<string>;
}

const signed = (issuer: string) => jwt({ iss: issuer, scope: 'orders.read' });
const events = (url: string) => ({ jwks_uri: `${url}/jwks`, events: `${url}/events`, on_stale: 'deny' });

/** Everything that the gateway fetches from an authorization server. */
const fetches: Readonly<Record<string, Fetch>> = {
  metadata: { path: /well-known/, block: () => ({ verify: 'jwt', events: 'none' }), token: signed },
  'a key set': {
    path: /jwks/,
    block: (url) => ({ verify: 'jwt', jwks_uri: `${url}/jwks`, events: 'none' }),
    token: signed,
  },
  'a key set that metadata name': { path: /jwks/, block: () => ({ verify: 'jwt', events: 'none' }), token: signed },
  introspection: {
    path: /introspect/,
    block: (url) => ({
      ...client,
      verify: 'introspection',
      introspection_endpoint: `${url}/introspect`,
      events: 'none',
    }),
    token: async () => 'opaque-token',
  },
  'the feed': { path: /events/, block: (url) => ({ ...client, verify: 'jwt', ...events(url) }), token: signed },
  'a key of a user': {
    path: /user-key/,
    block: (url) => ({ ...client, verify: 'jwt', jwks_uri: `${url}/jwks`, events: `${url}/events` }),
    token: (issuer) => jwt({ iss: issuer, scope: 'orders.read' }, { header: { kid: KID } }),
  },
};

/** An authorization server with all of these. */
async function server(t: Test, redirect: { path: RegExp; status: number; to: string } | undefined): Promise<Endpoint> {
  const { jwk } = await signingKey('ES256');
  const self = await endpoint(t, (request, response) => {
    const path = request.url ?? '';
    if (redirect?.path.test(path)) {
      response.writeHead(redirect.status, { location: `${redirect.to}${path}?code=hush` }).end();
    } else if (path.includes('events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': in step\n\n');
    } else if (path.includes('introspect')) json(response, active('orders.read'));
    else if (path.includes('well-known')) json(response, document(self.url));
    else json(response, { keys: [jwk] });
  });
  return self;
}

const document = (url: string) => ({
  issuer: url,
  jwks_uri: `${url}/jwks`,
  introspection_endpoint: `${url}/introspect`,
  user_key_uri_template: `${url}/user-key/{kid}`,
});

for (const [what, { path, block, token }] of Object.entries(fetches)) {
  t.test(`a redirect of ${what} is an outage that is logged, and never followed`, async (t) => {
    const [upstream, trap] = [await witness(t), await server(t, undefined)];
    for (const status of STATUSES) {
      const front = await server(t, { path, status, to: trap.url });
      const main = { issuer: front.url, audience, algorithms: ['ES256'], ...block(front.url) };
      const running = await gateway(t, behind(upstream.url, { authorization_servers: { main } }));
      const asked = requestText({ target: '/orders/1', headers: [bearer(await token(front.url))] });
      const answer = await ask(running.port, asked);
      t.equal(answer.status, 503, `${status}`);
      t.notMatch(answer.body.toString(), trap.url, 'the client is told no address');
      const told = `status ${status}: the gateway does not follow the redirect to ${trap.url}`;
      t.ok(await until(() => JSON.stringify(running.log).includes(told)), `${status} is told`);
      t.notMatch(JSON.stringify(running.log), 'hush');
      await running.stop();
    }
    t.strictSame(trap.calls, []);
    t.equal(upstream.seen.length, 0);
  });
}

t.test('of a Location only its origin is logged', async (t) => {
  const url = 'https://auth.example.com/jwks';
  const told = (location: string | string[] | undefined, statusCode = 302) =>
    statusFault({ statusCode, headers: { location } }, url)?.replace(
      'status 302: the gateway does not follow the redirect to ',
      '→ ',
    );
  for (const [location, place] of [
    ['https://user:pass@evil.example/x?token=t#f', '→ https://evil.example'],
    ['/login?next=t', '→ https://auth.example.com'],
    ['//evil.example:8443/x', '→ https://evil.example:8443'],
    ['javascript:alert(1)', '→ an address that is too long, or neither http: nor https:'],
    [`https://${'a'.repeat(400)}.example/`, '→ an address that is too long, or neither http: nor https:'],
    ['https://[', '→ no address'],
    ['https://evil.example\u202e/', '→ no address'],
    [undefined, 'status 302'],
  ] as const)
    t.equal(told(location), place, String(location));
  t.equal(told('/x', 200), undefined);
  t.equal(told('/x', 201), 'status 201');
});
