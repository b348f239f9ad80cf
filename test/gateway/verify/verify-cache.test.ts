import t from 'tap';
import { permit } from '../../../src/gateway/decide/permit.ts';
import { scopeRequirement } from '../../../src/gateway/message/scope-requirement.ts';
import { json } from '../../support/endpoint.ts';
import { heldClock, inAWord, openIssuer, openVerifiers, publish, settings } from '../issuer.ts';

t.test('advisory 5: expiry is checked on a cache hit as well', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url, { events: 'none' }) }, { clock }).verifier(['main']);
  const token = await issuer.sign();
  t.equal(inAWord(await verify(token)), 'miss');
  clock.advance(3_600_000 + 29_999);
  t.equal(inAWord(await verify(token)), 'hit', 'within the skew');
  clock.advance(1);
  const late = verify(token);
  t.notOk(late instanceof Promise);
  t.equal(inAWord(await late), 'token_expired');
});

t.test('after a wall clock steps back a cached token is not yet valid', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: settings(issuer.url) }, { clock }).verifier(['main']);
  const token = await issuer.sign({ nbf: clock.now() / 1000 });
  await verify(token);
  clock.step(-60_000);
  const early = await verify(token);
  t.equal(inAWord(early), 'token_not_yet_valid');
  t.match(early, { mismatch: { claim: 'nbf', difference: / 1 min(?:ute)?.*skew 30 s/ } });
  clock.step(60_000);
  t.equal(inAWord(await verify(token)), 'hit');
});

t.test('advisories 6 and 7: only facts are cached, so another route still refuses', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  const [foo, bar] = [verifiers.verifier(['main']), verifiers.verifier(['main'])];
  for (const token of [await issuer.sign({ scope: 'foo', aud: 'a' }), 'opaque']) {
    issuer.answer = (_token, response) => json(response, { active: true, scope: 'foo', aud: 'a' });
    t.equal(inAWord(await foo(token)), 'miss');
    const again = await bar(token);
    t.equal(inAWord(again), 'hit');
    if (again.kind !== 'verified') return;
    const judged = (scope: string, audience: readonly [string, string][]) => {
      const needed = scopeRequirement(scope);
      const requirements = { scope: needed, audience: new Map(audience), claims: undefined, when: undefined };
      return permit(requirements, again.identity, () => t.fail('no rule looks at the request') as never)?.code;
    };
    t.equal(judged('bar', []), 'scope_insufficient');
    t.equal(judged('foo', [['main', 'b']]), 'token_audience');
    t.equal(judged('foo', [['main', 'a']]), undefined);
  }
});

t.test('advisory 2: a token cached for one server does not count for another server, endpoint or client', async (t) => {
  const clock = heldClock();
  const [one, two] = [await openIssuer(t, clock), await openIssuer(t, clock)];
  two.answer = (_token, response) => json(response, { active: false });
  const config = {
    one: settings(one.url, { verify: 'introspection' }),
    two: settings(two.url, { verify: 'introspection' }),
    client: settings(one.url, { verify: 'introspection', client_id: 'other' }),
  };
  const verifiers = openVerifiers(t, config, { clock });
  t.equal(inAWord(await verifiers.verifier(['one'])('opaque')), 'miss');
  t.equal(inAWord(await verifiers.verifier(['two'])('opaque')), 'token_inactive');
  t.equal(inAWord(await verifiers.verifier(['client'])('opaque')), 'miss');
  t.equal(one.calls('/introspect'), 2);
  const jwt = await one.sign();
  t.equal(inAWord(await verifiers.verifier(['one', 'two'])(jwt)), 'miss');
  t.equal(inAWord(await verifiers.verifier(['two'])(jwt)), 'token_issuer', 'a route that lists only the other server');
});

t.test('cached answers of an introspection endpoint are dropped when the metadata name another one', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = settings(issuer.url, { verify: 'introspection', jwks: { ttl: 1000 } });
  const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
  t.equal(inAWord(await verify('kept')), 'miss');
  issuer.metadata = { ...issuer.metadata, introspection_endpoint: `${issuer.url}/introspect?v=2` };
  clock.advance(1001);
  t.equal(inAWord(await verify('kept')), 'hit');
  t.equal(inAWord(await verify('new')), 'outage', 'the new place answers 404');
  issuer.metadata = { ...issuer.metadata, introspection_endpoint: `${issuer.url}/introspect` };
  clock.advance(1001);
  t.equal(inAWord(await verify('kept')), 'miss');
});

t.test('cached facts are dropped with the key that verified them', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  issuer.keys = await publish('ES256', 'RS256');
  const verifiers = openVerifiers(t, { main: settings(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  const [gone, kept] = [await issuer.sign(), await issuer.sign({}, { alg: 'RS256' })];
  for (const token of [gone, kept]) {
    await verify(token);
    t.equal(inAWord(await verify(token)), 'hit');
  }
  issuer.keys = await publish('RS256', 'EdDSA');
  t.equal(inAWord(await verify(await issuer.sign({}, { alg: 'EdDSA' }))), 'miss', 'an unknown kid brings the new set');
  t.equal(inAWord(await verify(gone)), 'token_signature');
  t.equal(inAWord(await verify(kept)), 'hit');
});

t.test('the cache is bounded by number and by length', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: settings(issuer.url, { cache: { size: 10 } }) }, { clock });
  const verify = verifiers.verifier(['main']);
  for (let n = 0; n < 30; n++) await verify(`opaque-${n}`);
  t.equal([...verifiers.stats()][0]?.positive, 10);
  for (let n = 0; n < 10; n++) await verify(`${n}-${'x'.repeat(10_000)}`);
  t.equal([...verifiers.stats()][0]?.positive, 4, '40 KiB');
});
