import { generateKeyPair, SignJWT } from 'jose';
import t from 'tap';
import { parseJwt } from '../../../src/jwt/parse.ts';
import { encode, malleable } from '../../jwt/tokens.ts';
import { endpoint } from '../../support/endpoint.ts';
import { secret } from '../../support/keys.ts';
import { heldClock, inAWord, openIssuer, openVerifiers, publish, settings } from '../issuer.ts';

t.test('a valid token becomes an identity, and the second time without a promise', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url, { events: 'none' }) }, { clock }).verifier(['main']);
  const token = await issuer.sign({
    scope: 'orders.read orders.write',
    scp: ['admin', 7, 'with space'],
    aud: ['a', 'b'],
    nbf: 5,
  });
  const first = await verify(token);
  t.match(first, {
    kind: 'verified',
    cache: 'miss',
    identity: { scheme: 'bearer', issuer: issuer.url, server: 'main', subject: 'alice', clientId: 'shop' },
  });
  if (first.kind !== 'verified') return;
  t.strictSame([...first.identity.scopes], ['orders.read', 'orders.write', 'admin']);
  t.strictSame(first.identity.audience, ['a', 'b']);
  const second = verify(token);
  t.notOk(second instanceof Promise);
  t.equal(second, verify(token), 'nothing is made for a cached token');
  t.match(second, { kind: 'verified', cache: 'hit', identity: first.identity });
});

t.test('T24: none, unlisted algorithms, crit and keys in the header are refused without a network call', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const trap = await endpoint(t, (_request, response) => response.end('{}'));
  const verifiers = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  await verifiers.start();
  const before = issuer.endpoint.calls.length;
  const headers = [
    { alg: 'none' },
    { alg: 'None' },
    { alg: 'HS256' },
    { alg: 'HS512' },
    { crit: ['exp'] },
    { crit: ['b64'], b64: false },
    { jku: `${trap.url}/jwks` },
    { x5u: trap.url },
    { jwk: { kty: 'oct', k: 'AA' } },
    { x5c: [trap.url] },
    { kid: '../../etc/passwd' },
    { kid: "x' OR '1'='1" },
    { kid: 'x; DROP TABLE keys' },
    { kid: trap.url },
    { kid: 'a\u0000b' },
    { kid: '/dev/null/../..' },
  ];
  for (const header of headers) {
    const { claims } = parseJwt(await issuer.sign()) as { claims: object };
    const verdict = await verify(encode({ alg: 'ES256', typ: 'at+jwt', kid: 'key-ES256', ...header }, claims));
    t.equal(verdict.kind, 'refused', JSON.stringify(header));
  }
  t.equal(issuer.endpoint.calls.length, before);
  t.equal(trap.calls.length, 0);
});

t.test('T24: a token whose alg is not that of its key is refused', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  issuer.keys = await publish('RS256', 'ES256');
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  t.equal(inAWord(await verify(await issuer.sign({}, { alg: 'RS256' }))), 'miss');
  const [, payload] = (await issuer.sign()).split('.');
  for (const alg of ['PS256', 'EdDSA', 'HS256']) {
    const header = encode({ alg, typ: 'at+jwt', kid: 'key-RS256' }, '').split('.')[0];
    t.equal((await verify(`${header}.${payload}.AAAA`)).kind, 'refused', alg);
  }
});

t.test('T25: wrong issuer, type or time is refused with its own code', async (t) => {
  const clock = heldClock();
  const now = clock.now() / 1000;
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  const cases: [object, object, string][] = [
    [{ iss: 'https://evil.example' }, {}, 'token_issuer'],
    [{ iss: `${issuer.url}/` }, {}, 'token_issuer'],
    [{ iss: undefined }, {}, 'token_issuer'],
    [{ iss: [issuer.url] }, {}, 'token_issuer'],
    [{ exp: now - 31 }, {}, 'token_expired'],
    [{ exp: now - 29 }, {}, 'miss'],
    [{ nbf: now + 31 }, {}, 'token_not_yet_valid'],
    [{ nbf: now + 29 }, {}, 'miss'],
    [{ exp: undefined }, {}, 'token_malformed'],
    [{}, { typ: 'logout+jwt' }, 'token_type'],
    [{}, { typ: undefined }, 'token_type'],
    [{ cnf: { jkt: 'x' } }, {}, 'token_bound'],
  ];
  for (const [claims, header, word] of cases)
    t.equal(inAWord(await verify(await issuer.sign(claims, { header }))), word, JSON.stringify([claims, header]));
});

t.test('T26: an ID token is not an access token', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  t.equal(
    inAWord(await verify(await issuer.sign({ nonce: 'n', aud: 'shop' }, { header: { typ: 'JWT' } }))),
    'token_type',
  );
});

t.test('T27: the audience is a fact, and the same for every route', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  const token = await issuer.sign({ aud: 'https://a.example.com' });
  const verified = await verifiers.verifier(['main'])(token);
  t.match(verified, { kind: 'verified', identity: { audience: ['https://a.example.com'] } });
});

t.test("a forged signature is refused, and so is another server's key", async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  const token = await issuer.sign();
  const other = (await issuer.sign({ sub: 'admin' })).split('.');
  t.equal(inAWord(await verify([token.split('.')[0], other[1], token.split('.')[2]].join('.'))), 'token_signature');
  const { privateKey } = await generateKeyPair('ES256');
  const { claims } = parseJwt(token) as unknown as { claims: Record<string, unknown> };
  const forged = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'key-ES256' })
    .sign(privateKey);
  t.equal(inAWord(await verify(forged)), 'token_signature');
  t.equal(inAWord(await verify(token)), 'miss', 'the true one passes');
});

t.test('every malleable spelling of a cached token is refused', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  const token = await issuer.sign();
  await verify(token);
  for (const variant of malleable(token).filter((each) => !each.includes('%')))
    t.not((await verify(variant)).kind, 'verified');
  t.equal([...verifiers.stats()][0]?.positive, 1);
  t.equal(verify(token).constructor, Object);
});

t.test('HMAC tokens are verified with the secret of the file, as text or as base64url', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const token = await issuer.sign({}, { alg: 'HS256' });
  const forms = [{ secret }, { secret_base64url: Buffer.from(secret).toString('base64url') }];
  for (const form of forms) {
    const verifiers = openVerifiers(
      t,
      { main: settings('x', { issuer: issuer.url, algorithms: ['HS256'], verify: 'jwt', ...form }) },
      { clock },
    );
    await verifiers.start();
    t.ok(verifiers.ready());
    const verify = verifiers.verifier(['main']);
    t.equal(inAWord(await verify(token)), 'miss');
    t.equal(inAWord(await verify(token)), 'hit');
    t.equal(inAWord(await verify(await issuer.sign())), 'token_algorithm');
    t.equal(inAWord(await verify(`${token.slice(0, -6)}AAAAAA`)), 'token_signature');
  }
  t.equal(issuer.calls('/jwks'), 0, 'no key is fetched');
});

t.test('a secret and published keys work side by side, and neither replaces the other', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = settings(issuer.url, { algorithms: ['HS256', 'ES256'], secret });
  const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
  for (const alg of ['HS256', 'ES256'] as const) {
    const token = await issuer.sign({}, { alg });
    t.equal(inAWord(await verify(token)), 'miss', alg);
    t.equal(inAWord(await verify(token)), 'hit', alg);
  }
});

t.test('scope may be nested in the claims, and a name with dots is first tried as a name', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = settings(issuer.url, {
    scope_claims: ['realm_access.roles', 'https://x.example/roles', '__proto__.a', 'constructor.name'],
  });
  const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
  const verified = await verify(
    await issuer.sign({ realm_access: { roles: ['admin'] }, 'https://x.example/roles': 'a b' }),
  );
  t.strictSame(verified.kind === 'verified' && [...verified.identity.scopes], ['admin', 'a', 'b']);
});

t.test('a cached token that expires is reported with its time, like a new one', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url, { events: 'none' }) }, { clock }).verifier(['main']);
  const token = await issuer.sign();
  t.equal(inAWord(await verify(token)), 'miss');
  clock.advance(3_600_000 + 30_000);
  t.strictSame(await verify(token), {
    kind: 'refused',
    code: 'token_expired',
    mismatch: {
      claim: 'exp',
      found: '2030-03-17T18:46:40Z',
      expected: 'later than 2030-03-17T18:46:40Z',
      difference: 'expired 30 s ago; now 2030-03-17T18:47:10Z, skew 30 s',
    },
  });
  clock.step(-86_400_000);
  t.match(await verify(await issuer.sign({ nbf: clock.now() / 1000 + 60 })), {
    code: 'token_not_yet_valid',
    mismatch: { claim: 'nbf' },
  });
});
