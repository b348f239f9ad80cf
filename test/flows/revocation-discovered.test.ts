import t, { type Test } from 'tap';
import { basic, type Changes, gateway as follower, run } from '../authorization/running-service.ts';
import { jwtOf, rotate, userKeys, webJwt, withClient } from '../authorization/user-key-flow.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { witness } from '../support/witness.ts';
import { refusedWithinASecond } from './refused-in-time.ts';
import { asked, eventually, isInStep } from './revoked.ts';

interface Bench {
  readonly clients?: ReturnType<typeof withClient>;
  /** Overrides the configuration of the service. */
  readonly config?: Changes;
  /** Overrides the server's block; a function of the issuer. */
  readonly block?: (issuer: string) => object;
}

/** The service publishes everything in its metadata. The gateway knows its issuer and a client. */
async function bench(t: Test, { clients, config = {}, block = () => ({}) }: Bench = {}) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const listen = { host: '127.0.0.1', port };
  const service = await run(t, { config: { ...userKeys, issuer, listen, ...(clients && { clients }), ...config } });
  const main = { issuer, client_id: follower.id, client_secret: follower.secret, on_stale: 'deny' };
  const servers = { main: { ...main, audience: 'https://api.example.com', ...block(issuer) } };
  const file = { authorization_servers: servers, admin: '127.0.0.1:0', development: true };
  const running = asked(await gateway(t, behind((await witness(t)).url, file)));
  return { service, running };
}

t.test("a feed that the metadata name is followed, and users' keys are found through it", async (t) => {
  const { service, running } = await bench(t);
  t.ok(await isInStep(running));
  await refusedWithinASecond(t, [running], async () => {
    const token = (await jwtOf(service)).access_token;
    t.equal(await running.said(token), '200');
    await rotate(service);
    return token;
  });
});

/** Only a service with a client that may read the feed names the feed in its metadata. */
const closedToGateway = withClient('gateway', { events: false }).map((client) =>
  client.client_id === 'other' ? { ...client, events: true } : client,
);

/** Ways in which a feed that the metadata name refuses the gateway. */
const refusals: Readonly<Record<string, Bench & { readonly detail: RegExp }>> = {
  'the secret is wrong': {
    block: () => ({ client_secret: 'cs_another-secret-of-32-bytes-or-more' }),
    detail: /status 401: the server rejects this gateway's client_id or its secret/,
  },
  'the client may not read the feed': {
    clients: closedToGateway,
    detail: /status 403: this gateway's client may not read the feed/,
  },
};

for (const [why, { detail, ...bench_ }] of Object.entries(refusals))
  t.test(`a feed that the metadata name is stale while it refuses the gateway: ${why}`, async (t) => {
    const { service, running } = await bench(t, bench_);
    const failures = () => running.log.filter(({ msg }) => msg === 'cannot follow the revocation feed');
    t.ok(await eventually(async () => failures().length > 0));
    t.match(failures(), [{ level: 50, server: 'main', detail }]);
    t.equal(await running.said((await jwtOf(service)).access_token), '503 authorization_server_unavailable');
    t.equal(await running.metric('gatehouse_feed_connected{server="main"'), 0);
    t.equal(await running.metric('gatehouse_feed_stale{server="main"'), 1);
    t.strictSame(told(running), []);
  });

const hmac = Buffer.alloc(32, 7).toString('base64url');

/** Ways in which a gateway verifies without reading the metadata. */
const withoutMetadata: Readonly<Record<string, Bench>> = {
  'HS256, by a secret of both files': {
    config: { signing: { alg: 'HS256', secret_base64url: hmac, user_keys: false } },
    block: () => ({ algorithms: ['HS256'], secret_base64url: hmac }),
  },
  'HS256, by secrets of single users': {
    config: { signing: { alg: 'HS256', secret_base64url: hmac, user_keys: true } },
    clients: withClient('gateway', { keys: true }),
    block: (issuer) => ({ algorithms: ['HS256'], user_key_uri_template: `${issuer}/oauth2/keys/{kid}` }),
  },
  'addresses of keys and introspection': {
    block: (issuer) => ({
      jwks_uri: `${issuer}/oauth2/jwks`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
      user_key_uri_template: `${issuer}/oauth2/keys/{kid}`,
    }),
  },
};

for (const [how, bench_] of Object.entries(withoutMetadata))
  t.test(`a feed that the metadata name is followed even if nothing else is read there: ${how}`, async (t) => {
    const { service, running } = await bench(t, bench_);
    t.ok(await isInStep(running));
    await refusedWithinASecond(t, [running], async () => {
      const { access_token: token } = await jwtOf(service);
      t.equal(await running.said(token), '200');
      t.equal((await service.post('/oauth2/revoke', { token }, basic(webJwt))).status, 200);
      return token;
    });
  });

const unheard = /follows no revocation feed, so revoked JWTs pass until their `exp`/;
const told = ({ log }: { log: readonly Record<string, unknown>[] }) =>
  log.filter(({ msg }) => unheard.test(String(msg)));

t.test('a gateway that follows no feed logs once what that means for revoked JWTs', async (t) => {
  const clients = withClient('gateway', { events: false });
  const { running: refused } = await bench(t, { clients });
  t.ok(await eventually(async () => told(refused).length === 1));
  const { running: nobody } = await bench(t, {
    block: () => ({ client_id: undefined, client_secret: undefined, verify: 'jwt' }),
  });
  t.match(told(nobody), [{ server: 'main', detail: /no `client_id`/ }]);
  const { running: follower } = await bench(t);
  t.ok(await isInStep(follower));
  t.strictSame(told(follower), []);
});
