import t from 'tap';
import { unseenIn } from '../../../src/gateway/decide/unseen.ts';
import { compileWhen } from '../../../src/gateway/decide/when.ts';
import { headOf } from '../head.ts';
import { alice } from './decider.ts';

const captured = { host: { tenant: 'acme' }, path: { id: '7' } };

function holds(text: string, query = '', headers: readonly string[] = [], identity: object = {}): boolean {
  const head = headOf(headers, 'PATCH');
  return compileWhen(text)(
    { ...alice, ...identity },
    { head, host: 'acme.example.com', path: '/orders/7', query, captured },
  );
}

t.test('a rule sees the request and what the match captured', async (t) => {
  for (const text of [
    'request.method == "PATCH"',
    'request.host == "acme.example.com"',
    'request.path == "/orders/7"',
    'request.params.tenant == "acme" && request.params.id == "7"',
  ])
    t.ok(holds(text), text);
  t.notOk(holds('request.method == "GET"'));
});

t.test('a rule sees the identity; unknown facts are empty', async (t) => {
  for (const text of [
    'identity.scheme == "bearer"',
    'identity.subject == "alice"',
    'identity.client_id == "shop"',
    'identity.issuer == "https://auth.example.com"',
    'identity.claims.tenant == request.params.tenant',
    '"orders.read" in identity.scopes && !("admin" in identity.scopes)',
  ])
    t.ok(holds(text), text);
  const nobody = { subject: undefined, clientId: undefined };
  t.ok(holds('identity.subject == "" && identity.client_id == ""', '', [], nobody));
});

t.test('a repeated parameter is a list, which equals no text; a token is not a parameter', async (t) => {
  t.ok(holds('request.query.a == "1"', '?a=1&b=2'));
  t.notOk(holds('request.query.a == "1"', '?a=1&a=1'));
  t.ok(holds('request.query.a == ["1", "2"]', '?a=1&a=2'));
  t.notOk(holds('"access_token" in request.query', '?access_token=t'));
  t.ok(holds('!("a" in request.query)'));
});

t.test('all lines of a field are one list; a credential is not visible', async (t) => {
  t.ok(holds('request.headers["x-a"] == "1, 2, 3"', '', ['X-A', '1', 'x-a', '2', 'X-a', '3']));
  t.ok(holds('request.headers["x-b"] == "1"', '', ['X-A', '2', 'X-B', '1']));
  for (const name of ['authorization', 'cookie'])
    t.notOk(holds(`"${name}" in request.headers`, '', [name, 'x', 'X-A', '1']), name);
  t.notOk(holds('"constructor" in request.headers'));
});

t.test('an invalid expression here is a defect of the check that accepted it', async (t) => {
  t.throws(() => compileWhen('request.'), Error);
});

const apiKey = (place: { in: 'header' | 'query'; name: string }) => ({
  api_key: { ...place, keys: 'keys' },
});

t.test("an expression sees no credential of its route's schemes, in any spelling of a header", async (t) => {
  const shown = (text: string, route: Parameters<typeof unseenIn>[0], headers: readonly string[], query = '') =>
    compileWhen(text, unseenIn(route))(alice, { head: headOf(headers), host: 'a', path: '/', query, captured });
  const inHeader = apiKey({ in: 'header', name: 'X-Api-Key' });
  for (const name of ['x-api-key', 'x_api_key']) {
    const text = `"${name}" in request.headers`;
    t.equal(shown(text, inHeader, [name, 'k']), false, name);
    t.equal(shown(text, {}, [name, 'k']), true, 'where it is no credential it is shown');
  }
  t.equal(shown('"authorization" in request.headers', inHeader, ['Authorization', 'x']), false);
  t.equal(shown('"x-api-keys" in request.headers', inHeader, ['X-Api-Keys', 'k']), true);
  const inQuery = apiKey({ in: 'query', name: 'key' });
  t.equal(shown('"key" in request.query', inQuery, [], '?key=k'), false);
  t.equal(shown('"key" in request.query', inHeader, [], '?key=k'), true);
  t.equal(shown('"access_token" in request.query', inQuery, [], '?access_token=t'), false);
  t.equal(shown('"key" in request.headers', inQuery, ['Key', 'k']), true, 'a parameter is no header');
});
