import t from 'tap';
import { babbling, endpoint, type Handler, json } from '../../support/endpoint.ts';
import fc from '../../support/properties.ts';
import { until } from '../../support/until.ts';
import { heldClock, inAWord, openIssuer, openVerifiers, settings } from '../issuer.ts';

const introspecting = (issuer: string, changes: Parameters<typeof settings>[1] = {}) =>
  settings(issuer, { verify: 'introspection', ...changes });
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

t.test('an active answer becomes an identity', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const exp = clock.now() / 1000 + 60;
  issuer.answer = (_token, response) =>
    json(response, {
      active: true,
      scope: 'a b',
      client_id: 'shop',
      sub: 'alice',
      aud: 'x',
      exp,
      iss: issuer.url,
      token_type: 'bearer',
      tenant: 'acme',
    });
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  t.match(await verify('at'), {
    kind: 'verified',
    cache: 'miss',
    identity: {
      issuer: issuer.url,
      server: 'main',
      subject: 'alice',
      clientId: 'shop',
      audience: ['x'],
      expiresAt: exp,
      claims: { tenant: 'acme' },
    },
  });
  t.notOk(verify('at') instanceof Promise);
});

t.test('the gateway authenticates as RFC 6749 §2.3.1 requires', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const odd = { client_id: 'gate way:1', client_secret: 'ä:&=+%' };
  const config = {
    basic: introspecting(issuer.url, odd),
    post: introspecting(issuer.url, { ...odd, introspection_endpoint_auth_method: 'client_secret_post' }),
  };
  const verifiers = openVerifiers(t, config, { clock });
  await verifiers.verifier(['basic'])('the token+/=');
  await verifiers.verifier(['post'])('the token+/=');
  const [basic, post] = issuer.endpoint.calls.filter((call) => call.body !== '');
  t.equal(Buffer.from(basic?.authorization?.slice(6) ?? '', 'base64').toString(), 'gate+way%3A1:%C3%A4%3A%26%3D%2B%25');
  t.strictSame(Object.fromEntries(new URLSearchParams(basic?.body)), {
    token: 'the token+/=',
    token_type_hint: 'access_token',
  });
  t.equal(post?.authorization, undefined);
  t.strictSame(Object.fromEntries(new URLSearchParams(post?.body)), {
    token: 'the token+/=',
    token_type_hint: 'access_token',
    ...odd,
  });
});

t.test('a refusal is cached for a while, and never after a failure', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: introspecting(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  issuer.answer = (_token, response) => response.writeHead(500).end();
  t.equal(inAWord(await verify('at')), 'outage');
  issuer.answer = (_token, response) => json(response, { active: false });
  t.equal(inAWord(await verify('at')), 'token_inactive');
  t.equal(inAWord(await verify('at')), 'token_inactive');
  t.equal(issuer.calls('/introspect'), 2);
  issuer.answer = (_token, response) => json(response, { active: true });
  clock.advance(4_999);
  t.equal(inAWord(await verify('at')), 'token_inactive');
  clock.advance(1);
  t.equal(inAWord(await verify('at')), 'miss');
});

t.test('the cache of refusals is bounded, and separate from that of active tokens', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  issuer.answer = (token, response) => json(response, { active: token.startsWith('good') });
  const verifiers = openVerifiers(
    t,
    { main: introspecting(issuer.url, { cache: { size: 20, negative_size: 10 } }) },
    { clock },
  );
  const verify = verifiers.verifier(['main']);
  for (let n = 0; n < 20; n++) await verify(`good-${n}`);
  for (let n = 0; n < 300; n++) await verify(`bad-${n}`);
  t.match([...verifiers.stats()], [{ server: 'main', positive: 20, negative: 10, introspections: 320 }]);
  for (let n = 0; n < 20; n++) t.equal(inAWord(await verify(`good-${n}`)), 'hit');
});

t.test('an active answer is used for its ttl, and never past exp', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  t.equal(inAWord(await verify('long')), 'miss');
  clock.advance(59_999);
  t.equal(inAWord(await verify('long')), 'hit');
  clock.advance(1);
  t.equal(inAWord(await verify('long')), 'miss');
  issuer.answer = (_token, response) => json(response, { active: true, exp: clock.now() / 1000 + 10 });
  t.equal(inAWord(await verify('short')), 'miss');
  clock.advance(9_999);
  t.equal(inAWord(await verify('short')), 'hit');
  clock.advance(1);
  t.equal(inAWord(await verify('short')), 'token_expired', 'without any skew');
});

t.test('reasons to refuse a token with an active answer', async (t) => {
  const clock = heldClock();
  const now = clock.now() / 1000;
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  const cases: [object, string][] = [
    [{ iss: 'https://other.example' }, 'token_issuer'],
    [{ exp: now }, 'token_expired'],
    [{ nbf: now + 31 }, 'token_not_yet_valid'],
    [{ nbf: now + 29 }, 'miss'],
    [{ token_type: 'DPoP' }, 'token_type'],
    [{ token_type: 'refresh_token' }, 'token_type'],
    [{ token_type: 'BEARER' }, 'miss'],
    [{ cnf: { jkt: 'x' } }, 'token_bound'],
    [{ cnf: { 'x5t#S256': 'x' }, token_type: 'Bearer' }, 'token_bound'],
  ];
  for (const [index, [answer, word]] of cases.entries()) {
    issuer.answer = (_token, response) => json(response, { active: true, ...answer });
    t.equal(inAWord(await verify(`at-${index}`)), word, JSON.stringify(answer));
  }
});

t.test('a logout token or a security event gets 401, and only an opaque one is asked about', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  issuer.answer = (_token, response) => json(response, { active: true, events });
  t.equal(inAWord(await verify('opaque')), 'token_type');
  const asked = issuer.endpoint.calls.length;
  issuer.answer = (_token, response) => json(response, { active: true });
  t.equal(inAWord(await verify(await issuer.sign({ events }))), 'token_type');
  t.equal(issuer.endpoint.calls.length, asked);
});

const raw =
  (body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
const more: Readonly<Record<string, Handler>> = {
  'active twice': raw('{"active":false,"active":true}'),
  'active twice, once escaped': raw('{"active":true,"\\u0061ctive":false}'),
  'a BOM': raw('\ufeff{"active":true}'),
  'UTF-16': raw(Buffer.from('{"active":true}', 'utf16le')),
  'Latin-1': raw(Buffer.from('{"active":true,"sub":"\xe4"}', 'latin1')),
  'another charset': raw('{"active":true}', { 'content-type': 'application/json; charset=iso-8859-1' }),
  'JSON called text': raw('{"active":true}', { 'content-type': 'text/plain' }),
  'a signed answer': raw('eyJhbGciOiJub25lIn0.e30.', { 'content-type': 'application/token-introspection+jwt' }),
  gzip: raw('{"active":true}', { 'content-encoding': 'gzip' }),
  'exp as text': raw('{"active":true,"exp":"1999999999"}'),
  'exp beyond numbers': raw('{"active":true,"exp":1e999}'),
  'scope as a list': raw('{"active":true,"scope":["admin"]}'),
  'sub as a number': raw('{"active":true,"sub":7}'),
  'aud as an object': raw('{"active":true,"aud":{}}'),
  'deep nesting': raw(`{"active":true,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
  'active in a list': raw('[{"active":true}]'),
  'two objects': raw('{"active":true}{"active":true}'),
  'a huge Content-Length': raw('{"active":true}', { 'content-length': '99999999' }),
  'status 206': (_request, response) =>
    response.writeHead(206, { 'content-type': 'application/json' }).end('{"active":true}'),
  'status 201': (_request, response) =>
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"active":true}'),
};

t.test('garbage is an outage: never a pass, never a refusal', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: introspecting(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  await verify('first');
  const all = Object.entries({ ...babbling, ...more });
  t.ok(all.length >= 25);
  for (const [what, fault] of all) {
    issuer.endpoint.misbehave(fault);
    t.match(
      await verify(`at-${what}`),
      { kind: 'outage', dependency: 'authorization_servers.main', retryAfter: Number },
      what,
    );
  }
  issuer.endpoint.recover();
  t.equal(inAWord(await verify('at-after')), 'miss');
  t.equal([...verifiers.stats()][0]?.negative, 0);
});

t.test('advisories 32 and 48: an endless answer and a chain of codings are cut off', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  let sent = 0;
  issuer.endpoint.misbehave((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"active":true,"x":"');
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  });
  t.equal(inAWord(await verify('endless')), 'outage');
  t.ok(sent < 32 * 1024 * 1024, `${sent} bytes left the server`);
  issuer.endpoint.misbehave(raw('{"active":true}', { 'content-encoding': Array(1000).fill('gzip').join(',') }));
  t.equal(inAWord(await verify('codings')), 'outage');
});

t.test('a server that is down is an outage, and our own wrong credentials are logged as an error', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: introspecting(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  issuer.answer = (_token, response) => response.writeHead(401).end();
  t.equal(inAWord(await verify('at')), 'outage');
  t.match(verifiers.log.at(-1), { level: 'error', text: /status 401/ });
  await issuer.endpoint.down();
  t.equal(inAWord(await verify('at')), 'outage');
  t.match(verifiers.log.at(-1), { level: 'warn', text: /ECONNREFUSED/ });
  await issuer.endpoint.up();
  issuer.answer = (_token, response) => json(response, { active: true });
  t.equal(inAWord(await verify('at')), 'miss');
  t.match(verifiers.log.at(-1), { level: 'info' });
});

t.test('a silent server is an outage within the deadline, for all who wait', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  issuer.answer = () => {};
  const config = introspecting(issuer.url, { cache: { max_concurrent: 2 } });
  const verifiers = openVerifiers(t, { main: config }, { clock });
  const verify = verifiers.verifier(['main']);
  const began = performance.now();
  const all = Promise.all(Array.from({ length: 60 }, (_, n) => verify(`at-${n}`)));
  t.ok(await until(() => issuer.calls('/introspect') >= 2));
  // After this time, the last caller may still have a moment left when the first two have given up.
  await wait(500);
  t.equal(issuer.calls('/introspect'), 2, 'no more than allowed at one time');
  t.strictSame(new Set((await all).map(inAWord)), new Set(['outage']));
  t.ok(performance.now() - began < 20_000);
});

t.test('a connection that the server closed while idle does not cause an outage', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  await verify('first');
  let cut = 0;
  issuer.endpoint.misbehave((_request, response) => {
    if (cut++ === 0) response.socket?.destroy();
    else json(response, { active: true });
  });
  t.equal(inAWord(await verify('second')), 'miss');
});

t.test('200 concurrent misses of one token are one call, and other tokens do not wait for it', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const held: (() => void)[] = [];
  issuer.answer = (token, response) => {
    if (token === 'slow') held.push(() => json(response, { active: true, sub: token }));
    else json(response, { active: true, sub: token });
  };
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  const slow = Array.from({ length: 200 }, () => verify('slow'));
  t.match(await verify('quick'), { identity: { subject: 'quick' } });
  t.equal(issuer.calls('/introspect'), 2);
  while (held.length === 0) await wait(1);
  for (const answer of held) answer();
  for (const verified of await Promise.all(slow)) t.match(verified, { identity: { subject: 'slow' } });
  t.equal(issuer.calls('/introspect'), 2);
});

t.test('simultaneous calls are limited, and waiting ones get their turn', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  let [now, most] = [0, 0];
  issuer.answer = (_token, response) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now--;
      json(response, { active: true });
    }, 5);
  };
  const verify = openVerifiers(
    t,
    { main: introspecting(issuer.url, { cache: { max_concurrent: 3 } }) },
    { clock },
  ).verifier(['main']);
  const words = (await Promise.all(Array.from({ length: 40 }, (_, n) => verify(`at-${n}`)))).map(inAWord);
  t.strictSame(new Set(words), new Set(['miss']));
  t.equal(most, 3);
});

t.test('a flood of unknown tokens fills a bounded queue, then is an immediate outage', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const held: (() => void)[] = [];
  issuer.answer = (_token, response) => held.push(() => json(response, { active: false }));
  const verify = openVerifiers(
    t,
    { main: introspecting(issuer.url, { cache: { max_concurrent: 1 } }) },
    { clock },
  ).verifier(['main']);
  const flood = Array.from({ length: 100 }, (_, n) => verify(`at-${n}`));
  t.equal(inAWord(await verify('one more')), 'outage');
  const drain = setInterval(() => held.splice(0).forEach((answer) => void answer()), 1);
  const words = (await Promise.all(flood)).map(inAWord);
  clearInterval(drain);
  t.equal(words.filter((word) => word === 'token_inactive').length, 17, 'one call and sixteen that waited');
  t.equal(words.filter((word) => word === 'outage').length, 83);
});

t.test('advisory 27: no caller gets the answer for another token, however similar', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  issuer.answer = (token, response) => setTimeout(() => json(response, { active: true, sub: token }), 1);
  const config = introspecting(issuer.url, { cache: { max_concurrent: 64, size: 5000 } });
  const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
  const token = fc.stringMatching(/^[A-Za-z0-9\-._~+/]{1,24}={0,2}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: 2, maxLength: 40 }), async (tokens) => {
      const crowd = [
        ...tokens,
        ...tokens,
        ...tokens.map((each) => `${each}x`),
        ...tokens.map((each) => each.slice(0, -1) || 'y'),
      ];
      const answers = await Promise.all(crowd.map((each) => verify(each)));
      return answers.every((answer, index) => answer.kind === 'verified' && answer.identity.subject === crowd[index]);
    }),
    { numRuns: 60 },
  );
});

t.test(
  'while introspection is down, an active answer may be used past its ttl, but not past stale_if_error or exp',
  async (t) => {
    const clock = heldClock();
    const issuer = await openIssuer(t, clock);
    const config = introspecting(issuer.url, { cache: { ttl: 10_000, stale_if_error: 60_000 } });
    const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
    await verify('long');
    issuer.answer = (_token, response) => json(response, { active: true, exp: clock.now() / 1000 + 30 });
    await verify('short');
    await issuer.endpoint.down();
    clock.advance(11_000);
    t.equal(inAWord(await verify('long')), 'stale');
    t.equal(inAWord(await verify('short')), 'stale');
    t.equal(inAWord(await verify('unknown')), 'outage');
    clock.advance(20_000);
    t.equal(inAWord(await verify('short')), 'token_expired');
    clock.advance(38_000);
    t.equal(inAWord(await verify('long')), 'stale');
    clock.advance(1_000);
    t.equal(inAWord(await verify('long')), 'outage');
  },
);

t.test('a token that was refused since does not become valid during an outage of introspection', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = introspecting(issuer.url, { cache: { ttl: 1_000, negative_ttl: 1_000, stale_if_error: 600_000 } });
  const verify = openVerifiers(t, { main: config }, { clock }).verifier(['main']);
  await verify('at');
  issuer.answer = (_token, response) => json(response, { active: false });
  clock.advance(2_000);
  t.equal(inAWord(await verify('at')), 'token_inactive');
  await issuer.endpoint.down();
  clock.advance(2_000);
  t.equal(inAWord(await verify('at')), 'outage');
});

t.test('without stale_if_error nothing is used past its ttl', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
  await verify('at');
  await issuer.endpoint.down();
  clock.advance(60_000);
  t.equal(inAWord(await verify('at')), 'outage');
});

t.test('T37: neither tokens nor secrets are logged', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(t, { main: introspecting(issuer.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  for (const fault of Object.values({ ...babbling, ...more })) {
    issuer.endpoint.misbehave(fault);
    const verdict = await verify('very-secret-token');
    t.notMatch(JSON.stringify(verdict), /very-secret-token|gateway-secret/);
  }
  t.ok(verifiers.log.length > 0);
  t.notMatch(JSON.stringify(verifiers.log), /very-secret-token|gateway-secret/);
});

t.test('redirects are not followed', async (t) => {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const other = await endpoint(t, (_request, response) => json(response, { active: true }));
  for (const status of [301, 302, 303, 307, 308]) {
    issuer.answer = (_token, response) => response.writeHead(status, { location: other.url }).end();
    const verify = openVerifiers(t, { main: introspecting(issuer.url) }, { clock }).verifier(['main']);
    t.equal(inAWord(await verify('at')), 'outage', String(status));
  }
  t.equal(other.calls.length, 0);
});
