// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { gatewayBase, type Loose } from '../base-config.ts';

function load(env: Record<string, string>, change: (config: Loose) => void = () => {}) {
  const config = gatewayBase();
  change(config);
  return loadGatewayText(JSON.stringify(config), { env });
}

function configOf(env: Record<string, string>, change?: (config: Loose) => void): Loose {
  const loaded = load(env, change);
  return loaded.ok ? loaded.config : loaded.problems;
}

function messages(env: Record<string, string>): readonly string[] {
  const loaded = load(env);
  return loaded.ok ? [] : loaded.problems.map(({ message, hint }) => `${message}${hint ? ` → ${hint}` : ''}`);
}

t.test('a variable replaces a value of the file, and gets its type from the schema', async (t) => {
  const config = configOf({
    GATEHOUSE__UPSTREAMS__ORDERS__URL: 'http://10.0.0.1:80',
    GATEHOUSE__UPSTREAMS__ORDERS__MAX_CONNECTIONS: '12',
    GATEHOUSE__DEVELOPMENT: 'true',
    GATEHOUSE__LIMITS__IDLE: '5s',
    GATEHOUSE__LIMITS__SHARE: '0.25',
    GATEHOUSE__REALM: '7',
  });
  t.match(config.upstreams.orders, { urls: ['http://10.0.0.1:80'], max_connections: 12 });
  t.match(config, { development: true, limits: { idle: 5000, header_count: 100, share: 0.25 }, realm: '7' });
});

t.test('a list is given as YAML text', async (t) => {
  t.strictSame(configOf({ GATEHOUSE__SCOPES_SUPPORTED: '[orders.read, orders.write]' }).scopes_supported, [
    'orders.read',
    'orders.write',
  ]);
  t.strictSame(configOf({ GATEHOUSE__BEARER_METHODS_SUPPORTED: '- header\n- query' }).bearer_methods_supported, [
    'header',
    'query',
  ]);
});

t.test('names match in any case, with _ for -', async (t) => {
  const change = (config: Loose) => {
    config.upstreams['Legacy-API'] = { url: 'http://127.0.0.1:1' };
  };
  t.equal(
    configOf({ GATEHOUSE__UPSTREAMS__LEGACY_API__URL: 'http://127.0.0.1:2' }, change).upstreams['Legacy-API'].urls[0],
    'http://127.0.0.1:2',
  );
});

t.test('a variable adds a name that the file does not have', async (t) => {
  t.equal(
    configOf({ GATEHOUSE__UPSTREAMS__BILLING__URL: 'http://127.0.0.1:2' }).upstreams.billing.urls[0],
    'http://127.0.0.1:2',
  );
});

t.test('__FILE names a file that holds the value', async (t) => {
  const directory = temporaryFolder(t);
  writeFileSync(join(directory, 'secret'), 'from a file\n');
  const server = { GATEHOUSE__AUTHORIZATION_SERVERS__MAIN__CLIENT_ID: 'gateway' };
  const config = configOf({
    ...server,
    GATEHOUSE__AUTHORIZATION_SERVERS__MAIN__CLIENT_SECRET__FILE: join(directory, 'secret'),
  });
  t.equal(config.authorization_servers.main.client_secret, 'from a file');
  t.match(
    messages({ ...server, GATEHOUSE__AUTHORIZATION_SERVERS__MAIN__CLIENT_SECRET__FILE: join(directory, 'none') })[0],
    /CLIENT_SECRET__FILE: the file .* does not exist/,
  );
});

t.test('a value is used literally, and a variable in it is not replaced', async (t) => {
  t.equal(configOf({ GATEHOUSE__REALM: '${HOME}' }).realm, '${HOME}');
});

t.test('other variables are ignored', async (t) => {
  t.strictSame(
    configOf({ GATEHOUSE_PORT: 'tcp://10.0.0.1:80', GATEHOUSE_LISTEN: 'x', gatehouse__realm: 'x' }),
    configOf({}),
  );
});

t.test('a variable without a meaning is reported by its name', async (t) => {
  t.strictSame(messages({ GATEHOUSE__REALMS: 'x' }), [
    'GATEHOUSE__REALMS: there is no key `realms` → did you mean `realm`?',
  ]);
  t.strictSame(messages({ GATEHOUSE__UPSTREAMS__ORDERS__ULR: 'x' }), [
    'GATEHOUSE__UPSTREAMS__ORDERS__ULR: there is no key `ulr` → did you mean `url`?',
  ]);
  t.strictSame(messages({ GATEHOUSE__TOKENS__ACCESS__TTL: '1h' }), [
    'GATEHOUSE__TOKENS__ACCESS__TTL: there is no key `tokens` → this is a key of authorization.yaml: set this variable only for the program that reads authorization.yaml',
  ]);
  t.strictSame(messages({ GATEHOUSE__ROUTES: '[]' }), ['GATEHOUSE__ROUTES: routes can be set only in the file']);
  t.strictSame(messages({ GATEHOUSE__: 'x' }), [
    'GATEHOUSE__: the name of this variable has an empty part: `__` separates keys',
  ]);
  t.strictSame(messages({ GATEHOUSE____PROTO____X: 'x' }).length, 1);
  t.match(messages({ GATEHOUSE__BEARER_METHODS_SUPPORTED__0: 'x' })[0], /has no keys → write the whole list/);
  t.match(messages({ GATEHOUSE__SCOPES_SUPPORTED: '[a' })[0], /^GATEHOUSE__SCOPES_SUPPORTED: /);
});

t.test('a wrong value is reported with the name of the variable, and is not shown', async (t) => {
  const told = messages({ GATEHOUSE__LIMITS__IDLE: 'hunter2', GATEHOUSE__DEVELOPMENT: 'hunter2' });
  t.match(told, [
    /^GATEHOUSE__DEVELOPMENT: expected true or false, found the value/,
    /^GATEHOUSE__LIMITS__IDLE: the value is not a duration/,
  ]);
  t.notMatch(JSON.stringify(load({ GATEHOUSE__LIMITS__IDLE: 'hunter2' })), /hunter2/);
});

const linked = (prefix: string) => ({
  [`${prefix}_SERVICE_HOST`]: '10.96.0.7',
  [`${prefix}_SERVICE_PORT`]: '80',
  [`${prefix}_SERVICE_PORT_HTTP_ALT`]: '80',
  [`${prefix}_PORT`]: 'tcp://10.96.0.7:80',
  [`${prefix}_PORT_80_TCP`]: 'tcp://10.96.0.7:80',
  [`${prefix}_PORT_80_TCP_PROTO`]: 'tcp',
  [`${prefix}_PORT_80_TCP_PORT`]: '80',
  [`${prefix}_PORT_80_TCP_ADDR`]: '10.96.0.7',
});

t.test('a Kubernetes Service whose name begins with gatehouse-- is reported and sets nothing', async (t) => {
  const plain = load({});
  for (const prefix of [
    'GATEHOUSE__X',
    'GATEHOUSE__UPSTREAMS__API',
    'GATEHOUSE__ROUTES',
    'GATEHOUSE___',
    'GATEHOUSE__LISTEN',
  ]) {
    const loaded = load(linked(prefix));
    t.ok(loaded.ok, JSON.stringify(loaded));
    if (!loaded.ok || !plain.ok) continue;
    t.strictSame(loaded.config, plain.config, prefix);
    const told = loaded.warnings.filter(({ line }) => line === 0);
    t.match(told, [{ message: /ignored/, hint: /enableServiceLinks: false/ }]);
    t.equal(told.length, 1, 'once for each Service');
  }
});

t.test('a single variable with the ending of a Service variable is a setting', async (t) => {
  for (const name of ['GATEHOUSE__X_SERVICE_HOST', 'GATEHOUSE__X_PORT', 'GATEHOUSE__X_PORT_80_TCP_ADDR'])
    t.match(messages({ [name]: '10.0.0.1' }), [/there is no key/]);
  t.match(messages({ ...linked('GATEHOUSE__X'), GATEHOUSE__X_Y: '1' }), [/there is no key `x_y`/]);
});
