import t from 'tap';
import { looksLikeJwt, MAX_TOKEN_LENGTH, parseJws, parseJwt } from '../../src/jwt/parse.ts';
import { encode, malleable, sign } from './tokens.ts';

const header = { alg: 'ES256', typ: 'at+jwt', kid: 'k' };

t.test('a token in the right form is read', async (t) => {
  const jwt = parseJwt(encode(header, { sub: 'alice' }));
  t.match(jwt, { kind: 'parsed', header: { alg: 'ES256', typ: 'at+jwt', kid: 'k' }, claims: { sub: 'alice' } });
});

t.test('every other spelling of a valid token is refused', async (t) => {
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => sign({ sub: `user-${'x'.repeat(n)}` })));
  for (const token of tokens) {
    t.equal(parseJwt(token).kind, 'parsed');
    const variants = malleable(token);
    t.ok(variants.length >= 15);
    t.strictSame(
      variants.filter((variant) => parseJwt(variant).kind === 'parsed'),
      [],
    );
  }
});

t.test('every other spelling still counts as a JWT, so that it does not count as an opaque token', async (t) => {
  const token = await sign({ sub: 'alice' });
  const cut = malleable(token).filter((variant) => !variant.includes('%') && !looksLikeJwt(variant));
  t.strictSame(cut, []);
});

t.test('a JWT has three parts, and the first is JSON with alg', async (t) => {
  t.ok(looksLikeJwt(encode({ alg: 'none' }, {})));
  t.ok(looksLikeJwt(`${encode({ alg: 1 }, 'x').split('.')[0]}..`));
  for (const opaque of [
    '',
    '.',
    '..',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    encode({ typ: 'JWT' }, {}),
    encode('"alg"', {}),
    encode('["alg"]', {}),
    `${encode(header, {})}.x`,
    'at_2YotnFZFEjr1zCsicMWpAA',
  ]) {
    t.notOk(looksLikeJwt(opaque), opaque);
  }
});

t.test('headers that no access token has are refused', async (t) => {
  const headers: unknown[] = [
    {},
    { alg: 1 },
    { alg: null },
    { alg: ['ES256'] },
    [],
    null,
    'x',
    '{"alg":"ES256","alg":"none"}',
    { ...header, kid: 1 },
    { ...header, kid: 'k'.repeat(2000) },
    { ...header, kid: null },
    { ...header, typ: 1 },
    { ...header, crit: ['exp'] },
    { ...header, crit: [] },
    { ...header, b64: false, crit: ['b64'] },
    { ...header, b64: false },
    { ...header, b64: true },
    { ...header, jku: 'https://evil.example/jwks' },
    { ...header, x5u: 'https://evil.example/cert' },
    { ...header, jwk: { kty: 'oct', k: 'AA' } },
    { ...header, x5c: ['MII'] },
    { ...header, zip: 'DEF' },
    { ...header, enc: 'A128GCM' },
  ];
  for (const bad of headers)
    t.match(parseJwt(encode(bad, {})), { kind: 'refused', code: 'token_malformed' }, JSON.stringify(bad));
});

t.test('payloads that are not claims are refused', async (t) => {
  for (const bad of ['', 'null', '[]', '"x"', '{', '{"sub":"a","sub":"b"}', '{"exp":1,"\\u0065xp":9}']) {
    t.match(parseJwt(encode(header, bad)), { kind: 'refused', code: 'token_malformed' }, bad);
  }
});

t.test('a token with more or fewer than three parts is refused', async (t) => {
  const token = encode(header, {});
  for (const bad of ['', '.', '..', '...', token.replaceAll('.', ''), `${token}.`, `.${token}`, `${token}.AA.AA`]) {
    t.match(parseJws(bad), { kind: 'refused', code: 'token_malformed' }, bad);
  }
});

t.test('advisory 74: dots, depth and length are checked before they cost anything', async (t) => {
  const bombs = [
    '.'.repeat(MAX_TOKEN_LENGTH),
    '.'.repeat(10_000_000),
    `${encode(header, {})}${'.A'.repeat(1_000_000)}`,
    encode(header, `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
    encode(`{"alg":"ES256","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, {}),
    encode(header, { a: 'x'.repeat(20_000) }),
    encode({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_000_000_000, p2s: 'AA' }, {}),
    encode({ alg: 'dir', enc: 'A128GCM', zip: 'DEF' }, {}),
  ];
  for (const bomb of bombs) t.match(parseJwt(bomb), { kind: 'refused', code: 'token_malformed' });
});

t.test('the log says what is wrong with a token, without quoting it', async (t) => {
  const body = { sub: 'alice' };
  const details: readonly [token: string, detail: string][] = [
    ['a'.repeat(MAX_TOKEN_LENGTH + 1), 'too long'],
    ['a'.repeat(MAX_TOKEN_LENGTH), 'not three parts of base64url'],
    ['a.b', 'not three parts of base64url'],
    [encode('[]', body), 'header is not a JSON object'],
    [encode({ ...header, jku: 'x' }, body), 'header parameter jku'],
    [encode({ kid: 'k' }, body), 'alg is not a string'],
    [encode({ ...header, kid: 'k'.repeat(1025) }, body), 'kid is not a short string'],
    [encode({ ...header, kid: 1 }, body), 'kid is not a short string'],
    [encode({ ...header, typ: 1 }, body), 'typ is not a string'],
    [encode(header, '[]'), 'payload is not a JSON object'],
  ];
  for (const [token, detail] of details) t.match(parseJwt(token), { kind: 'refused', detail }, detail);
  t.equal(parseJwt(encode({ ...header, kid: 'k'.repeat(1024) }, body)).kind, 'parsed');
});

t.test('a token may be as long as the limit, and no longer', async (t) => {
  const sized = (length: number) => {
    const bare = encode(header, { a: '' }).length;
    return encode(header, { a: 'x'.repeat(Math.floor(((length - bare) * 3) / 4)) });
  };
  const longest = sized(MAX_TOKEN_LENGTH);
  t.ok(longest.length > MAX_TOKEN_LENGTH - 4 && longest.length <= MAX_TOKEN_LENGTH, String(longest.length));
  t.equal(parseJwt(longest).kind, 'parsed');
});

t.test('a text that only begins like a JWT, or has an empty first part, is an opaque token', async (t) => {
  const [first] = encode(header, {}).split('.');
  for (const opaque of [`${first}`, `${first}.`, `.${first}.`, `${first}.x`, `${first}.a.b.c`, `..${first}`])
    t.notOk(looksLikeJwt(opaque), opaque);
  t.ok(looksLikeJwt(`${first}..`));
});
