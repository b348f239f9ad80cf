// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import t from 'tap';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { authorizationConfig, gatewayConfig, refusal } from './chart.ts';

/** Starts helm for each refusal: 13 s beside a whole test run. */
t.setTimeout(120_000);

const redis = { counters: 'redis://redis:6379' };
const tickets = { ticket_keys: ['${file:/run/secrets/gatehouse/ticket.key}'] };
const nonces = { nonce_keys: ['${file:/run/secrets/gatehouse/nonce.key}'] };
const postgres = { storage: 'postgres://gatehouse@postgres/gatehouse' };
const encryption = { encryption_keys: ['${file:/run/secrets/gatehouse/encryption.key}'] };

const match = { path: '/a' };
const limited = { match, scope: 'a', rate_limit: { by: 'client_id', requests: 1, per: '1m' } };
const digest = { match, auth: { any_of: ['bearer', 'digest'] }, digest: { realm: 'a', users: 'a' }, scope: 'a' };
const basic = { match, auth: 'basic', basic: { realm: 'a', users: 'a' }, access: 'authenticated' };
const { main } = gatewayConfig.authorization_servers;
const store = { main: { ...gatewayConfig.authorization_servers.main, verify: 'store', storage: 'sqlite:/data/a.db' } };

const reporting = {
  main: { ...gatewayConfig.authorization_servers.main, backchannel_logout: { audiences: ['shop'] } },
};

const gateway = (config: object, more: object = { replicaCount: 2 }) => ({
  gateway: { config: { ...gatewayConfig, ...config }, ...more },
});
const authorization = (config: object, more: object = { replicaCount: 2 }) => ({
  mode: 'authorization',
  authorization: { config: { ...authorizationConfig, ...config }, ...more },
});

const sidecar = (more: object) => ({
  mode: 'sidecar',
  sidecar: { containers: [{ name: 'orders' }], ...more },
  gateway: { config: gatewayConfig },
});

/** Rule → values, and what the message tells the operator to set. */
const refused: Readonly<Record<string, readonly [object, string]>> = {
  'several gateways must not count rate limits separately': [
    gateway({ ...tickets, routes: [limited] }),
    'rate limits alone, in memory: set gateway.config.counters to redis://HOST:6379',
  ],
  'several gateways must not count separately because of `counters`': [
    gateway({ ...tickets, counters: 'memory', routes: [limited] }),
    'set gateway.config.counters to redis://HOST:6379',
  ],
  'several gateways must not count wrong Basic passwords separately': [
    gateway({ ...tickets, routes: [basic] }),
    'wrong passwords alone, in memory: set gateway.config.counters',
  ],
  'several gateways must not count Digest nonces separately': [
    gateway({ ...tickets, ...nonces, routes: [digest] }),
    'Digest nonces alone, in memory: set gateway.config.counters',
  ],
  'several gateways sign nonces with one key': [
    gateway({ ...tickets, ...redis, routes: [digest] }),
    'set gateway.config.nonce_keys to ["${file:/run/secrets/gatehouse/nonce.key}"]',
  ],
  'several gateways seal tickets with one key': [
    gateway({}),
    'set gateway.config.ticket_keys to ["${file:/run/secrets/gatehouse/ticket.key}"]',
  ],
  'several gateways must not hear of a logout separately': [
    gateway({ ...tickets, authorization_servers: reporting, receiver: { listen: '0.0.0.0:8090' } }),
    'only one of them would hear of a logout that gateway.config.authorization_servers.main reports: set gateway.config.counters',
  ],
  'several gateways share no SQLite file': [
    gateway({ ...tickets, authorization_servers: store }),
    'set it to postgres://USER@HOST/DATABASE',
  ],
  'pods that an autoscaler may add count as several': [
    gateway({}, { autoscaling: { enabled: true, maxReplicas: 5 } }),
    'the gateway may have 5 replicas',
  ],
  'several authorization services share no SQLite file, which is the default': [
    authorization({}),
    'set authorization.config.storage to postgres://USER@HOST/DATABASE',
  ],
  'several authorization services share no named SQLite file': [
    authorization({ storage: 'sqlite:/data/other.db' }),
    'set authorization.config.storage to postgres://USER@HOST/DATABASE',
  ],
  'several authorization services encrypt with one key': [
    authorization(postgres),
    'set authorization.config.encryption_keys to ["${file:/run/secrets/gatehouse/encryption.key}"]',
  ],
  'several authorization services must not count wrong secrets separately': [
    authorization({ ...postgres, ...encryption }),
    'set authorization.config.counters to redis://HOST:6379',
  ],
  'a ConfigMap contains no client secret': [
    gateway({ authorization_servers: { main: { ...main, client_id: 'a', client_secret: 'plain' } } }, {}),
    'gateway.config.authorization_servers.main.client_secret is a secret in plain text',
  ],
  'a ConfigMap contains no HS256 secret': [
    gateway({ authorization_servers: { main: { ...main, secret: 'x'.repeat(32) } } }, {}),
    'gateway.config.authorization_servers.main.secret is a secret',
  ],
  'a ConfigMap contains no secret that is the default of a variable': [
    gateway({ authorization_servers: { main: { ...main, client_secret: '${SECRET:-plain}' } } }, {}),
    'main.client_secret is a secret in plain text',
  ],
  'a ConfigMap contains no secret of pushed events': [
    gateway(
      {
        receiver: { listen: '127.0.0.1:8090' },
        authorization_servers: {
          main: { ...main, security_events: { audiences: ['a'], push: { authorization: 'Bearer plain' } } },
        },
      },
      {},
    ),
    'main.security_events.push.authorization is a secret in plain text',
  ],
  'a ConfigMap contains no key of a list': [
    gateway({ ticket_keys: ['${KEY}', 'plain'] }, {}),
    'gateway.config.ticket_keys[1] is a secret',
  ],
  'a ConfigMap contains no password for an upstream': [
    gateway(
      { upstreams: { orders: { url: 'http://a:1', credentials: { basic: { username: 'a', password: 'p' } } } } },
      {},
    ),
    'gateway.config.upstreams.orders.credentials.basic.password is a secret',
  ],
  'a ConfigMap contains no key in a header for an upstream': [
    gateway(
      { upstreams: { orders: { url: 'http://a:1', credentials: { header: { name: 'X-Key', value: 'p' } } } } },
      {},
    ),
    'gateway.config.upstreams.orders.credentials.header.value is a secret',
  ],
  'a ConfigMap contains no Redis password': [
    gateway({ counters: 'redis://gateway:plain@redis:6379' }, {}),
    'gateway.config.counters has a password in plain text',
  ],
  'a ConfigMap contains no database password': [
    authorization({ storage: 'postgres://gatehouse:plain@${HOST}/gatehouse' }, {}),
    'authorization.config.storage has a password in plain text',
  ],
  'a ConfigMap contains no client secret of the service': [
    authorization({ clients: [{ client_id: 'a', client_secret: '1234567' }] }, {}),
    'authorization.config.clients[0].client_secret is a secret',
  ],
  'a program without a configuration is not installed': [{}, 'set gateway.config to the content of gateway.yaml'],
  'one configuration is enough': [
    gateway({}, { existingConfigMap: 'ours' }),
    'gateway.config and gateway.existingConfigMap are both set',
  ],
  'the listener is at the port that Service and probes use': [
    gateway({ listen: '0.0.0.0:8443' }, {}),
    'gateway.config.listen is at port 8443, and gateway.ports.http is 8080: write the same port in both',
  ],
  'the listener for probes is at the port that probes use': [
    gateway({ health: { listen: '0.0.0.0:1', pass: {} } }, {}),
    'gateway.config.health is at port 1, and gateway.ports.health is 9900',
  ],
  'a sidecar has an application': [{ mode: 'sidecar', ...gateway({}, {}) }, 'set sidecar.containers to its containers'],
  'a sidecar and its application listen on different ports': [
    sidecar({ port: 8080 }),
    'sidecar.port is 8080, and so is gateway.ports.http',
  ],
  'the application may not use the port for probes': [
    sidecar({ port: 9900 }),
    'sidecar.port is 9900, and so is gateway.ports.health',
  ],
  'nor that of operators': [sidecar({ port: 9901 }), 'so is gateway.ports.admin'],
  'a name occurs once in a pod': [
    sidecar({ containers: [{ name: 'gatehouse' }] }),
    'sidecar.containers has a container named gatehouse',
  ],
  'a name occurs once beside a gateway alone': [
    gateway({}, { extraContainers: [{ name: 'gatehouse' }] }),
    'gateway.extraContainers has a container named gatehouse',
  ],
  'the path of a probe begins with /': [
    sidecar({ probes: { 'app/live': '/healthz' } }),
    'sidecar.probes has "app/live", which is not a path: write "/app/live"',
  ],
  'on both sides': [sidecar({ probes: { '/app/live': 'healthz' } }), 'write "/healthz"'],
  'a pod has time for its hook and its requests': [
    gateway({ shutdown: { deadline: '1m' } }, {}),
    'gateway.terminationGracePeriodSeconds is 45, and preStopSeconds (5) and shutdown.deadline (1m) may together take at least as long',
  ],
  'a pod has time for the default deadline': [
    authorization({}, { preStopSeconds: 15 }),
    'authorization.terminationGracePeriodSeconds is 45, and preStopSeconds (15) and shutdown.deadline (30s)',
  ],
  'a pod has time for the deadline of a variable': [
    gateway({}, { extraEnv: [{ name: 'GATEHOUSE__SHUTDOWN__DEADLINE', value: '40s' }] }),
    'shutdown.deadline (40s) may together take at least as long: set terminationGracePeriodSeconds to more than their sum, such as 55',
  ],
  'a missing configuration gets the error of an empty one': [
    { gateway: { config: null } },
    'set gateway.config to the content of gateway.yaml',
  ],
  'a missing configuration of the authorization service gets the error of an empty one': [
    { mode: 'authorization', authorization: { config: null } },
    'set authorization.config to the content of authorization.yaml',
  ],
  'an image has a registry, because no public registry has it': [
    { ...gateway({}, {}), image: {} },
    'image.registry is empty, and no public registry has gatehouse: set image.registry to',
  ],
  'an owner is not a registry': [
    { ...gateway({}, {}), image: { repository: 'platform/gatehouse' } },
    'no public registry has platform/gatehouse: set image.registry to',
  ],
  'an HTTPRoute joins a Gateway': [gateway({}, { httpRoute: { enabled: true } }), 'needs gateway.httpRoute.parentRefs'],
  'an Ingress has a host': [gateway({}, { ingress: { enabled: true } }), 'needs gateway.ingress.hosts'],
};

for (const [rule, [values, remedy]] of Object.entries(refused))
  t.test(rule, { skip: skipWithoutHelm }, async (t) => {
    const said = refusal(values);
    t.ok(said.includes(remedy), said || 'it was rendered');
  });

const shared = [{ name: 'GATEHOUSE__COUNTERS', value: 'redis://redis:6379' }];

const accepted: Readonly<Record<string, object>> = {
  'a single gateway may keep everything to itself': gateway(
    { routes: [limited, { ...digest, match: { path: '/b' } }] },
    {},
  ),
  'several gateways that share everything are valid': gateway({ ...redis, ...tickets, ...nonces, routes: [digest] }),
  'a registry may be part of the repository': {
    ...gateway({}, {}),
    image: { repository: 'registry.example.com:5000/platform/gatehouse' },
  },
  'without counting, shared counters are not needed': gateway(tickets),
  'an unused port for decisions is free': sidecar({ port: 8082 }),
  'several gateways hear of a logout through Redis': gateway({
    ...tickets,
    ...redis,
    authorization_servers: reporting,
    receiver: { listen: '0.0.0.0:8090' },
  }),
  'one second more than the hook and the deadline is enough': gateway({}, { terminationGracePeriodSeconds: 36 }),
  'if the pod belongs to another chart, its grace period is not checked': {
    ...sidecar({ containers: [], selector: { app: 'orders' } }),
    gateway: { config: { ...gatewayConfig, shutdown: { deadline: '2m' } } },
  },
  'counters may come from a variable': gateway(
    { ...tickets, routes: [limited] },
    { replicaCount: 2, extraEnv: shared },
  ),
  'variables, files, hashes and values with only the name of a secret are written': authorization(
    {
      storage: 'postgres://gatehouse:${PG_PASSWORD}@postgres/gatehouse',
      counters: 'rediss://redis:6380',
      ...encryption,
      signing: { user_keys: true, rotate_on_password_change: true },
      clients: [
        { client_id: 'a', client_secret: '${A}' },
        { client_id: 'b', client_secret_sha256: 'a'.repeat(64), grant_types: ['password'] },
      ],
      users: [{ username: 'alice', password_argon2: '$argon2id$v=19$m=19456,t=2,p=1$a$b' }],
    },
    {},
  ),
  'a key file and a header that is not a credential are written': gateway(
    {
      authorization_servers: { main: { ...main, client_id: 'a', client_key: '/run/secrets/gatehouse/key.pem' } },
      upstreams: { orders: { url: 'http://a:1', credentials: { basic: { username: 'a', password: '${P}' } } } },
      cors: { origins: ['https://app.example.com'], credentials: true },
    },
    {},
  ),
  'several authorization services that share everything are valid': authorization({
    ...postgres,
    ...encryption,
    ...redis,
  }),
};

for (const [rule, values] of Object.entries(accepted))
  t.test(rule, { skip: skipWithoutHelm }, async (t) => {
    t.equal(refusal(values), '');
  });
