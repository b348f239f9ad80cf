import t from 'tap';
import { crossOrigin, crossOriginOf } from '../../../src/gateway/decide/cross-origin.ts';
import { isPreflight } from '../../../src/gateway/message/request-head.ts';
import { headOf } from '../head.ts';

const shop = 'https://shop.example';
const config = { origins: [shop], headers: ['Authorization', 'X-One'], credentials: false, max_age: 90_999 };
const from = (...origins: string[]) => headOf(origins.flatMap((origin) => ['Origin', origin]));

t.test('without a cors block no origin gets a CORS header', async (t) => {
  t.equal(crossOrigin(undefined, 'X-Request-Id'), undefined);
});

t.test('a listed origin is returned as it was written, with what its page may read', async (t) => {
  const cors = crossOrigin(config, 'X-Trace');
  t.strictSame(cors?.answer(from('https://SHOP.example')), [
    'vary',
    'Origin',
    'access-control-allow-origin',
    'https://SHOP.example',
    'access-control-expose-headers',
    'WWW-Authenticate, Retry-After, X-Trace',
  ]);
  const listed = crossOrigin({ ...config, origins: ['https://SHOP.example'] }, 'X-Trace');
  t.match(listed?.answer(from(shop)), ['vary', 'Origin', 'access-control-allow-origin', shop]);
});

t.test('a page may send the fields of the tools protocol, and read the id of its session', async (t) => {
  const headers = ['authorization', 'MCP-NAME'];
  const claims_to_params = { 'Mcp-Param-Tenant': 'tenant' };
  const file = (route = {}) =>
    crossOriginOf({
      cors: { ...config, headers },
      request_id: { header: 'X-Trace' },
      routes: [{}, route],
    } as unknown as Parameters<typeof crossOriginOf>[0]);
  const told = (route?: object) => {
    const cors = file(route);
    return [cors?.answer(from(shop)).at(-1), cors?.preflight(from(shop), ['POST'])[3]];
  };
  const plain = 'WWW-Authenticate, Retry-After, X-Trace';
  t.strictSame(told(), [plain, 'authorization, MCP-NAME']);
  t.strictSame(told({ mcp: { sessions: false }, claims_to_params }), [
    plain,
    'authorization, MCP-NAME, MCP-Protocol-Version, Mcp-Method, Mcp-Param-Tenant',
  ]);
  t.strictSame(told({ mcp: { sessions: true } }), [
    `${plain}, Mcp-Session-Id`,
    'authorization, MCP-NAME, MCP-Protocol-Version, Mcp-Method, Mcp-Session-Id, Last-Event-ID',
  ]);
});

t.test('other origins, no origin, and two at once only get a Vary header', async (t) => {
  const cors = crossOrigin(config, 'X-Request-Id');
  for (const head of [from(), from('https://shop.example.evil'), from('null'), from(shop, shop), from('')]) {
    t.strictSame(cors?.answer(head), ['vary', 'Origin']);
    t.strictSame(cors?.preflight(head, ['GET']), []);
  }
});

t.test('a star accepts any single origin; cookies are allowed only if the file says so', async (t) => {
  const any = crossOrigin({ ...config, origins: ['*'] }, 'X-Request-Id');
  t.match(any?.answer(from('https://any.example')), { 3: 'https://any.example' });
  t.notMatch(any?.answer(from(shop)).join(), 'credentials');
  t.strictSame(any?.answer(from()), ['vary', 'Origin']);
  const trusting = crossOrigin({ ...config, credentials: true }, 'X-Request-Id');
  t.strictSame(trusting?.answer(from(shop)).slice(4, 6), ['access-control-allow-credentials', 'true']);
});

t.test('a preflight gets methods in order, headers, and whole seconds', async (t) => {
  t.strictSame(crossOrigin(config, 'X-Request-Id')?.preflight(from(shop), new Set(['PUT', 'GET'])), [
    'access-control-allow-methods',
    'GET, PUT',
    'access-control-allow-headers',
    'Authorization, X-One',
    'access-control-max-age',
    '90',
  ]);
});

t.test('a preflight after which a browser does not send has a reason: origin, method or headers', async (t) => {
  const cors = crossOrigin(config, 'X-Request-Id');
  const why = (origin: string, method: string, ...names: string[]) =>
    cors?.blocked(
      headOf(
        ['Origin', origin, 'Access-Control-Request-Method', method].concat(
          names.length === 0 ? [] : ['Access-Control-Request-Headers', names.join(',')],
        ),
        'OPTIONS',
      ),
      new Set(['GET']),
    );
  t.equal(why(shop, 'GET'), undefined);
  t.equal(why(shop, 'GET', 'authorization', 'x-one'), undefined);
  t.equal(why('https://evil.example', 'GET'), 'the origin https://evil.example is not in `cors.origins`');
  t.equal(why(shop, 'PATCH'), 'no route for this path accepts the method PATCH');
  t.equal(why(shop, 'POST'), undefined, 'a browser sends it whatever methods are named');
  t.match(why(`https://${'e'.repeat(9000)}.example`, 'GET'), /^the origin https:\/\/e{120}… is not in/);
  t.equal(why(shop, 'GET', 'authorization', 'x-two', 'x-three'), '`cors.headers` does not list x-two, x-three');
});

t.test('`*` in `cors.headers` means every header except Authorization, and none with credentials', async (t) => {
  const head = headOf(
    ['Origin', shop, 'Access-Control-Request-Method', 'GET', 'Access-Control-Request-Headers', 'authorization,x-two'],
    'OPTIONS',
  );
  const why = (credentials: boolean) =>
    crossOrigin({ ...config, headers: ['*'], credentials }, 'X-Request-Id')?.blocked(head, new Set(['GET']));
  t.equal(why(false), '`cors.headers` does not list authorization');
  t.equal(why(true), '`cors.headers` does not list authorization, x-two');
});

t.test('the headers of a preflight are those of all its lines, and of no other field', async (t) => {
  const asked = ['Access-Control-Request-Headers', 'x-one', 'Access-Control-Request-Headers', 'x-two'];
  const note = ['X-Note', 'access-control-request-headers'];
  const head = headOf([...note, 'Origin', shop, 'Access-Control-Request-Method', 'GET', ...asked], 'OPTIONS');
  t.equal(crossOrigin(config, 'X-Request-Id')?.blocked(head, new Set(['GET'])), '`cors.headers` does not list x-two');
});

t.test('a preflight is an OPTIONS with an origin and a requested method', async (t) => {
  const fields = ['Origin', shop, 'Access-Control-Request-Method', 'GET'];
  t.ok(isPreflight(headOf(fields, 'OPTIONS')));
  t.notOk(isPreflight(headOf(fields, 'GET')));
  t.notOk(isPreflight(headOf(fields.slice(0, 2), 'OPTIONS')));
  t.notOk(isPreflight(headOf(fields.slice(2), 'OPTIONS')));
});
