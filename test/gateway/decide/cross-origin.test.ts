import t from 'tap';
import { crossOrigin, isPreflight } from '../../../src/gateway/decide/cross-origin.ts';
import { headOf } from '../head.ts';

const shop = 'https://shop.example';
const config = { origins: [shop], headers: ['Authorization', 'X-One'], credentials: false, max_age: 90_999 };
const from = (...origins: string[]) => headOf(origins.flatMap((origin) => ['Origin', origin]));

t.test('without a block for it nobody is told anything', async (t) => {
  t.equal(crossOrigin(undefined, 'X-Request-Id'), undefined);
});

t.test('an origin that is listed is named back as it was written, and what its page may read', async (t) => {
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

t.test('every other origin, none, and two at once are told only that the answer varies', async (t) => {
  const cors = crossOrigin(config, 'X-Request-Id');
  for (const head of [from(), from('https://shop.example.evil'), from('null'), from(shop, shop), from('')]) {
    t.strictSame(cors?.answer(head), ['vary', 'Origin']);
    t.strictSame(cors?.preflight(head, ['GET']), []);
  }
});

t.test('a star takes any one origin; cookies are allowed only where the file says so', async (t) => {
  const any = crossOrigin({ ...config, origins: ['*'] }, 'X-Request-Id');
  t.match(any?.answer(from('https://any.example')), { 3: 'https://any.example' });
  t.notMatch(any?.answer(from(shop)).join(), 'credentials');
  t.strictSame(any?.answer(from()), ['vary', 'Origin']);
  const trusting = crossOrigin({ ...config, credentials: true }, 'X-Request-Id');
  t.strictSame(trusting?.answer(from(shop)).slice(4, 6), ['access-control-allow-credentials', 'true']);
});

t.test('a preflight is told methods in order, headers, and whole seconds', async (t) => {
  t.strictSame(crossOrigin(config, 'X-Request-Id')?.preflight(from(shop), new Set(['PUT', 'GET'])), [
    'access-control-allow-methods',
    'GET, PUT',
    'access-control-allow-headers',
    'Authorization, X-One',
    'access-control-max-age',
    '90',
  ]);
});

t.test('a preflight is an OPTIONS with an origin and a method that it asks for', async (t) => {
  const fields = ['Origin', shop, 'Access-Control-Request-Method', 'GET'];
  t.ok(isPreflight(headOf(fields, 'OPTIONS')));
  t.notOk(isPreflight(headOf(fields, 'GET')));
  t.notOk(isPreflight(headOf(fields.slice(0, 2), 'OPTIONS')));
  t.notOk(isPreflight(headOf(fields.slice(2), 'OPTIONS')));
});
