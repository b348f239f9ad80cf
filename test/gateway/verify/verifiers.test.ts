import t from 'tap';
import { encode } from '../../jwt/tokens.ts';
import { json } from '../../support/endpoint.ts';
import { heldClock, type Issuer, inAWord, openIssuer, openVerifiers, settings } from '../issuer.ts';

const asked = (issuer: Issuer) => issuer.calls('/introspect');

t.test('a JWT goes only to the server whose issuer it names', async (t) => {
  const clock = heldClock();
  const [one, two] = [await openIssuer(t, clock), await openIssuer(t, clock)];
  const verifiers = openVerifiers(
    t,
    { one: settings(one.url, { events: 'none' }), two: settings(two.url, { events: 'none' }) },
    { clock },
  );
  const both = verifiers.verifier(['one', 'two']);
  t.match(await both(await one.sign()), { kind: 'verified', identity: { server: 'one' } });
  t.match(await both(await two.sign()), { kind: 'verified', identity: { server: 'two' } });
  const mine = await two.sign();
  t.equal(inAWord(await verifiers.verifier(['one'])(mine)), 'token_issuer');
  t.equal(inAWord(await verifiers.verifier([])(mine)), 'token_issuer');
  t.equal(asked(one) + asked(two), 0);
});

t.test('an opaque token goes to the only introspecting server', async (t) => {
  const clock = heldClock();
  const [one, two] = [await openIssuer(t, clock), await openIssuer(t, clock)];
  const { client_id, ...anonymous } = settings(two.url, { token_prefix: 'two_' });
  const verifiers = openVerifiers(
    t,
    { one: settings(one.url, { token_prefix: 'one_' }), two: anonymous, three: settings(two.url, { verify: 'jwt' }) },
    { clock },
  );
  t.match(await verifiers.verifier(['one', 'two', 'three'])('two_token'), {
    kind: 'verified',
    identity: { server: 'one' },
  });
  t.equal(asked(two), 0, 'without a client id it cannot be asked');
});

t.test('several introspecting servers share opaque tokens by the longest prefix', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = {
    a: settings(issuer.url, { token_prefix: 'at_' }),
    b: settings(issuer.url, { token_prefix: 'at_b_', verify: 'introspection' }),
    c: settings(issuer.url, { verify: 'both' }),
  };
  const verifiers = openVerifiers(t, config, { clock });
  const verify = verifiers.verifier(['a', 'b', 'c']);
  t.match(await verify('at_1'), { identity: { server: 'a' } });
  t.match(await verify('at_b_1'), { identity: { server: 'b' } });
  const before = asked(issuer);
  t.equal(inAWord(await verify('other')), 'token_inactive');
  t.equal(asked(issuer), before);
});

t.test('a result that another route cached does not change which server is used', async (t) => {
  const clock = heldClock();
  const [one, two] = [await openIssuer(t, clock), await openIssuer(t, clock)];
  const verifiers = openVerifiers(
    t,
    { one: settings(one.url, { token_prefix: 'one_' }), two: settings(two.url, { token_prefix: 'two_' }) },
    { clock },
  );
  t.match(await verifiers.verifier(['one'])('two_x'), { identity: { server: 'one' } });
  t.match(await verifiers.verifier(['one', 'two'])('two_x'), { identity: { server: 'two' } });
});

t.test('a server that only verifies JWTs accepts no opaque token', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(
    t,
    { main: settings(issuer.url, { verify: 'jwt', events: 'none' }) },
    { clock },
  ).verifier(['main']);
  for (const token of ['opaque', 'a.b', 'a.b.c', 'a.b.c.d.e'])
    t.equal(inAWord(await verify(token)), 'token_malformed', token);
  t.equal(inAWord(await verify(await issuer.sign())), 'miss');
  t.equal(asked(issuer), 0);
});

t.test('if only the client is missing to introspect an opaque token, the refusal says so', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const refusedBy = (more: { verify?: 'jwt' }) => {
    const { client_id: _id, client_secret: _secret, ...main } = settings(issuer.url, more);
    return openVerifiers(t, { main }, { clock }).verifier(['main'])('opaque');
  };
  const code = 'token_malformed';
  const detail =
    'not a JWT, and the gateway cannot introspect opaque tokens without `client_id` (authorization_servers.main)';
  t.match(await refusedBy({}), { kind: 'refused', code, detail });
  t.match(await refusedBy({ verify: 'jwt' }), { kind: 'refused', code, detail: /^not a JWT$/ });
  t.equal(asked(issuer), 0);
});

t.test('verify: introspection introspects JWTs too', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: settings(issuer.url, { verify: 'introspection' }) }, { clock });
  const verify = verifiers.verifier(['main']);
  const token = encode({ alg: 'XY1' }, { iss: issuer.url });
  t.equal(inAWord(await verify(token)), 'miss');
  t.equal(inAWord(await verify(token)), 'hit');
  t.equal(inAWord(await verify(encode({ alg: 'XY1' }, { iss: 'https://other.example' }))), 'token_issuer');
  t.equal(asked(issuer), 1);
  t.equal(issuer.calls('/jwks'), 0);
});

t.test('verify: both requires the signature and the answer', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url, { verify: 'both' }) }, { clock }).verifier(['main']);
  const token = await issuer.sign({ scope: 'a b c', aud: ['x', 'y'] });
  issuer.answer = (_token, response) =>
    json(response, { active: true, scope: 'b c d', aud: 'y', exp: clock.now() / 1000 + 30 });
  const verified = await verify(token);
  t.match(verified, {
    kind: 'verified',
    identity: { subject: 'alice', audience: ['y'], expiresAt: clock.now() / 1000 + 30 },
  });
  t.strictSame(verified.kind === 'verified' && [...verified.identity.scopes], ['b', 'c'], 'what both say');
  t.equal(inAWord(await verify(token)), 'hit');
  clock.advance(30_000);
  t.equal(inAWord(await verify(token)), 'token_expired', 'by the answer');
  issuer.answer = (_token, response) => json(response, { active: false });
  t.equal(inAWord(await verify(await issuer.sign())), 'token_inactive');
  const before = asked(issuer);
  t.equal(inAWord(await verify(`${(await issuer.sign()).slice(0, -6)}AAAAAA`)), 'token_signature');
  t.equal(asked(issuer), before, 'a forged token is not asked about');
  issuer.endpoint.misbehave((_request, response) => response.socket?.destroy());
  t.equal(inAWord(await verify(await issuer.sign())), 'outage');
});

t.test('a token of unusual length is refused before any call', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  t.equal(inAWord(await verify('x'.repeat(16 * 1024 + 1))), 'token_malformed');
  t.equal(asked(issuer), 0);
});

t.test('ready: every server was tried, and some keys are loaded if all routes depend on them', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const keyed = openVerifiers(t, { main: settings(issuer.url, { verify: 'jwt' }) }, { clock });
  t.notOk(keyed.ready());
  await keyed.start();
  t.ok(keyed.ready());
  await issuer.endpoint.down();
  const cold = openVerifiers(t, { main: settings(issuer.url, { verify: 'jwt' }) }, { clock });
  await cold.start();
  t.notOk(cold.ready());
  const introspecting = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  await introspecting.start();
  t.ok(introspecting.ready());
  t.ok(openVerifiers(t, {}, { clock }).ready());
});

t.test('an unknown server name is a defect of the caller', async (t) => {
  t.throws(() => openVerifiers(t, {}, { clock: heldClock() }).verifier(['nobody']));
});
