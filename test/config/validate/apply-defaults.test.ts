import t from 'tap';
import { AuthorizationSchema } from '../../../src/config/schema/authorization.ts';
import { GatewaySchema } from '../../../src/config/schema/gateway.ts';
import type { Schema } from '../../../src/config/schema/input-schema.ts';
import { applyDefaults } from '../../../src/config/validate/apply-defaults.ts';
import fc from '../../support/properties.ts';
import type { Loose } from '../base-config.ts';

const gateway = GatewaySchema as unknown as Schema;
const authorization = AuthorizationSchema as unknown as Schema;

t.test('defaults are filled in at every depth, in the units of the program', async (t) => {
  const config = applyDefaults(authorization, {}) as Loose;
  t.match(config.tokens, {
    code: { ttl: 60_000 },
    access: { format: 'opaque', ttl: 3_600_000, jwt_ttl: 900_000, claims: {} },
    refresh: {
      ttl: 604_800_000,
      absolute_ttl: 2_592_000_000,
      reuse_leeway: 10_000,
      retry_window: 0,
      access_token: 'new',
    },
    session_key: { ttl: 604_800_000 },
  });
  t.strictSame(config.session, { enabled: false, allow_query: true, errors: 'oauth' });
  t.strictSame(config.listen, { host: '127.0.0.1', port: 8081 });
  t.strictSame(config.clients, []);
  t.notOk(Object.hasOwn(config, 'admin'), 'what has no default is absent');
});

t.test('a map with some keys gets the defaults of the others', async (t) => {
  const { limits } = applyDefaults(gateway, { limits: { body: '2MiB', idle: '1m' } }) as Loose;
  t.match(limits, { body: 2_097_152, idle: 60_000, header_size: 16_384, body_rate: { bytes: 1024, over: 30_000 } });
});

t.test('`none` stays `none`', async (t) => {
  const { upstreams } = applyDefaults(gateway, { upstreams: { a: { url: 'x', timeout: { idle: 'none' } } } }) as Loose;
  t.equal(upstreams.a.timeout.idle, 'none');
});

t.test('a route without identity headers has none of its own', async (t) => {
  const { routes } = applyDefaults(gateway, { routes: [{ match: { path: '/' } }] }) as Loose;
  t.notOk(Object.hasOwn(routes[0], 'identity_headers'));
});

t.test('the configuration is frozen at every depth', async (t) => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  t.ok(
    isFrozen(
      applyDefaults(gateway, {
        routes: [{ match: { path: '/' }, scope: { any_of: ['a'] } }],
        upstreams: { a: { url: 'x' } },
      }),
    ),
  );
});

t.test('names that every object inherits are ordinary names', async (t) => {
  const { upstreams } = applyDefaults(gateway, { upstreams: {} }) as Loose;
  t.equal(upstreams.constructor, undefined);
  t.equal((applyDefaults(gateway, { upstreams: { toString: { url: 'x' } } }) as Loose).upstreams.toString.url, 'x');
});

t.test('it never throws, and no value pollutes a prototype', async (t) => {
  const value = fc.oneof(
    fc.anything(),
    fc
      .jsonValue({ maxDepth: 6 })
      .map((json) => JSON.parse(`{"__proto__":{"polluted":true},"upstreams":${JSON.stringify(json)}}`)),
  );
  fc.assert(
    fc.property(value, (given) => {
      applyDefaults(gateway, given);
      applyDefaults(authorization, given);
      return !('polluted' in {});
    }),
  );
  t.pass();
});
