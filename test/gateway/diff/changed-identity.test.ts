import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { changedIdentity } from '../../../src/gateway/diff/changed-identity.ts';

function file(general: object | undefined, own?: object) {
  const routes = ['a', 'b'].map((id) => ({ id, match: { path: `/${id}` }, access: 'public' }));
  if (own !== undefined) Object.assign(routes[0] as object, { identity_headers: own });
  const defaults = { upstream: 'api', ...(general && { identity_headers: general }) };
  const loaded = loadGatewayText(
    JSON.stringify({ version: 1, upstreams: { api: { url: 'http://a' } }, defaults, routes }),
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const renamed = { prefix: 'X-Gate-', set: { 'X-Gate-Subject': 'sub' } };

t.test('names that clients could not set before, and can set now, are reported', async (t) => {
  t.strictSame(changedIdentity(file(undefined), file(renamed)), [
    'identity_headers of a, b: callers can now send X-Auth-Subject, X-Auth-Client, X-Auth-Scope, other X-Auth-…',
  ]);
});

t.test('names of another route to the same upstream stay closed on both routes', async (t) => {
  t.strictSame(changedIdentity(file(undefined), file(undefined, renamed)), []);
});

t.test(
  'if a route is gone whose names its neighbours dropped, these names are reported for the neighbours',
  async (t) => {
    const before = file(undefined, renamed);
    const after = { ...before, routes: before.routes.slice(1) };
    t.strictSame(changedIdentity(before, after), [
      'identity_headers of b: callers can now send x-gate-subject, other x-gate-…',
    ]);
    t.strictSame(changedIdentity(after, before), []);
  },
);

t.test('if only routes in shadow mode are left, callers can send more than the headers of `set`', async (t) => {
  const both = file(undefined);
  const looking = {
    ...both,
    routes: both.routes.map((route) => (route.id === 'b' ? { ...route, mode: 'shadow' as const } : route)),
  };
  t.strictSame(changedIdentity(both, looking), []);
  t.strictSame(changedIdentity(looking, { ...looking, routes: looking.routes.slice(1) }), [
    'identity_headers of b: callers can now send other X-Auth-…',
  ]);
});

t.test('another prefix keeps the names that the gateway sets closed', async (t) => {
  t.strictSame(changedIdentity(file(undefined), file({ prefix: 'X-Gate-' })), [
    'identity_headers of a, b: callers can now send other X-Auth-…',
  ]);
});

t.test('a change that closes more, or nothing, is not reported', async (t) => {
  t.strictSame(changedIdentity(file(undefined), file(undefined)), []);
  t.strictSame(changedIdentity(file({ prefix: 'X-Auth-Own-' }), file({ prefix: 'X-Auth-' })), []);
});
