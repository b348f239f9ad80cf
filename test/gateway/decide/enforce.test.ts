import t from 'tap';
import { outage, refused } from '../../../src/base/verdict.ts';
import type { Outcome } from '../../../src/gateway/decide/outcome.ts';
import type { Identity, SchemeVerification, Verification } from '../../../src/gateway/message/identity.ts';
import type { HttpScheme } from '../../../src/gateway/schemes/http-scheme.ts';
import { userFile } from '../../support/user-files.ts';
import { alice, bearer, decider, type Request } from './decider.ts';

const rate_limit = { requests: 1, per: '1m' };

const file = {
  resource: 'https://api.example.com',
  bearer_methods_supported: ['header', 'query', 'body'],
  routes: [
    { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
    { id: 'admin', match: { path: '/admin/{rest*}' }, scope: { any_of: ['admin orders.read', 'a b c'] } },
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
    { id: 'optional', match: { path: '/optional/{rest*}' }, access: 'optional' },
    { id: 'header', match: { path: '/header/{rest*}' }, scope: 'a', bearer_methods_supported: ['header'] },
    { id: 'query', match: { path: '/query/{rest*}' }, scope: 'a', bearer_methods_supported: ['query'] },
    { id: 'other', match: { path: '/other/{rest*}' }, access: 'authenticated', audience: 'https://other.example' },
    {
      id: 'claims',
      match: { path: '/claims/{id}' },
      access: 'authenticated',
      claims: { tenant: { equals: 'path.id' } },
    },
    {
      id: 'when',
      match: { path: '/when/{id}' },
      access: 'authenticated',
      when: 'request.params.id == "7" && request.query.a == "b" && request.host == "api.example.com" && request.path == "/when/7" && request.method == "GET"',
    },
    {
      id: 'moved',
      match: { path: '/moved/{rest*}' },
      scope: 'orders.read',
      rewrite: { strip_prefix: '/moved', add_prefix: '/v1' },
    },
    { id: 'keep', match: { path: '/keep/{rest*}' }, scope: 'orders.read', forward_credential: true },
    {
      id: 'by-client',
      match: { path: '/by-client' },
      access: 'optional',
      rate_limit: { by: 'client_id', ...rate_limit },
    },
    {
      id: 'by-address',
      match: { path: '/by-address' },
      access: 'optional',
      rate_limit: { by: 'address', ...rate_limit },
    },
    { id: 'two', match: { path: '/two' }, scope: 'orders.read', rate_limit: { by: 'client_id', ...rate_limit } },
  ],
};

const engine = decider(file);
const get = (target: string, headers: readonly string[] = bearer): Request => ({ line: `GET ${target}`, headers });
const form = (target: string, body: string, headers: readonly string[] = []): Request => ({
  line: `POST ${target}`,
  headers: ['Content-Type', 'application/x-www-form-urlencoded', 'Content-Length', `${body.length}`, ...headers],
  body,
});

t.test('a valid token passes: its identity is forwarded, and the token is not', async (t) => {
  const outcome = await engine.decide(get('/orders/7?a=1'));
  t.match(outcome, {
    kind: 'forward',
    route: { id: 'orders' },
    target: '/orders/7?a=1',
    identity: alice,
    cache: 'hit',
  });
  t.match(outcome, { body: 'stream', bodyChanged: false, privateResponse: false, shadow: undefined, answerFields: [] });
  t.match(outcome, { asCame: false });
  t.match(outcome, {
    identityHeaders: ['x-auth-subject', 'alice', 'x-auth-client', 'shop', 'x-auth-scope', 'orders.read'],
  });
});

t.test('a cached verdict is returned without a promise, and equals an awaited one', async (t) => {
  t.notOk(engine.decide(get('/orders/7')) instanceof Promise);
  const later = decider(file, { verify: async () => ({ kind: 'verified', identity: alice, cache: 'miss' }) });
  const promised = later.decide(get('/orders/7'));
  t.ok(promised instanceof Promise);
  t.match(await promised, { kind: 'forward', cache: 'miss' });
});

t.test(
  'without a credential a route sends a challenge, and the log names a credential in a place that it does not read',
  async (t) => {
    const metadata = 'https://api.example.com/.well-known/oauth-protected-resource';
    const missing = (id: string, detail: string | undefined) => ({ code: 'credential_missing', route: { id }, detail });
    const outcome = await engine.decide(get('/orders/7', []));
    t.match(outcome, missing('orders', 'there is no Authorization field'));
    t.strictSame((outcome as { challenges?: unknown }).challenges, [
      `Bearer realm="api", scope="orders.read", resource_metadata="${metadata}"`,
    ]);
    t.match(
      await engine.decide(get('/header/7?access_token=t', [])),
      missing('header', 'this route does not read a token in the query'),
    );
    t.match(
      await engine.decide({ ...form('/header/7', 'access_token=t') }),
      missing('header', 'this route does not read a token in the body'),
    );
    t.match(
      await engine.decide(get('/query/7')),
      missing('query', 'this route does not read a token in the Authorization header'),
    );
    t.match(
      await engine.decide(get('/query/7', ['Authorization', 'Basic YTpi'])),
      missing('query', 'the request has no token where this route reads one'),
    );
    t.match(
      await engine.decide(get('/orders/7', ['Authorization', 'Basic YTpi'])),
      missing('orders', 'the scheme of the Authorization field is not accepted on this route'),
    );
  },
);

t.test('a public route reads and removes no credential; an optional one checks an existing one', async (t) => {
  const refusing = decider(file, { verify: () => refused('token_expired') });
  t.match(await refusing.decide(get('/public/7?access_token=a&access_token=b')), {
    kind: 'forward',
    identity: undefined,
    identityHeaders: [],
    cache: undefined,
    target: '/public/7?access_token=a&access_token=b',
    privateResponse: false,
  });
  t.match(await refusing.decide(get('/public/7', [...bearer, ...bearer])), { kind: 'forward' });
  t.match(await refusing.decide(get('/optional/7', [])), { kind: 'forward', identity: undefined });
  t.match(await refusing.decide(get('/optional/7')), { kind: 'refuse', code: 'token_expired' });
  t.match(await engine.decide(get('/optional/7')), { kind: 'forward', identity: alice });
  t.match(await engine.decide(get('/optional/7', [...bearer, ...bearer])), { code: 'credential_repeated' });
});

t.test('the challenge says why a token was refused, and only the log has the detail', async (t) => {
  const refusing = decider(file, { verify: () => refused('token_expired', 'five minutes ago') });
  const outcome = await refusing.decide(get('/orders/7'));
  t.match(outcome, { kind: 'refuse', code: 'token_expired', detail: 'five minutes ago', identity: undefined });
  const { challenges } = outcome as { challenges: readonly string[] };
  t.match(challenges, [/^Bearer .*error="invalid_token"/]);
  t.notMatch(challenges.join(), /minutes|scope=/);
  t.match(await engine.decide(get('/orders/7', ['Authorization', 'Bearer ,'])), { code: 'credential_malformed' });
});

t.test('an outage and a refusal have different codes', async (t) => {
  const codes: Readonly<Record<string, string>> = {
    'authorization_servers.main': 'authorization_server_unavailable',
    passwords: 'passwords_saturated',
    counters: 'counters_unavailable',
    users: 'users_unavailable',
  };
  for (const [dependency, code] of Object.entries(codes)) {
    const out = outage(dependency, 3);
    const outcome = await decider(file, { verify: () => out }).decide(get('/orders/7'));
    t.match(outcome, { kind: 'unavailable', code, route: { id: 'orders' }, outage: out }, dependency);
  }
});

t.test('scope, audience and claims are checked for each request; the log has the identity', async (t) => {
  const poor = await engine.decide(get('/admin/7'));
  t.match(poor, { kind: 'refuse', code: 'scope_insufficient', identity: alice, cache: 'hit' });
  t.match(poor, { challenges: [/error="insufficient_scope"/] });
  t.match((poor as { challenges: readonly string[] }).challenges[0], /scope="admin orders\.read"/, 'the nearest');
  const foreign = await engine.decide(get('/other/7'));
  t.match(foreign, { kind: 'refuse', code: 'token_audience', identity: alice });
  t.match(foreign, { mismatch: { claim: 'aud', found: /api\.example\.com/, expected: /^"http/ } });
  t.match(await engine.decide(get('/claims/acme')), { kind: 'forward' });
  const failed = await engine.decide(get('/claims/globex'));
  t.match(failed, { kind: 'refuse', code: 'condition_failed', identity: alice, detail: 'claims' });
  t.match(failed, { route: { id: 'claims' } });
  t.strictSame((failed as { challenges?: unknown }).challenges, [], 'there is nothing to ask for');
  t.match(await engine.decide(get('/when/7?a=b')), { kind: 'forward' });
  t.match(await engine.decide(get('/when/7?a=c')), { code: 'condition_failed', detail: 'when' });
  t.match(await engine.decide(get('/when/8?a=b')), { code: 'condition_failed', detail: 'when' });
});

t.test('a claim that cannot be in a header stops the request', async (t) => {
  const identity: Identity = { ...alice, subject: 'a\nb' };
  const odd = decider(file, { verify: () => ({ kind: 'verified', identity, cache: 'stale' }) });
  t.match(await odd.decide(get('/orders/7')), {
    code: 'identity_unrepresentable',
    route: { id: 'orders' },
    cache: 'stale',
  });
});

t.test('a rewritten path is judged like a received one', async (t) => {
  t.match(await engine.decide(get('/moved/7?a=1')), { kind: 'forward', target: '/v1/7?a=1' });
  t.match(await engine.decide(get('/moved')), { kind: 'forward', target: '/v1' });
  const bare = decider({
    ...file,
    routes: [{ id: 'all', match: { path: '/a/{rest*}' }, access: 'public', rewrite: { strip_prefix: '/a' } }],
  });
  t.match(await bare.decide('GET /a'), { target: '/' });
  t.match(await bare.decide('GET /a/b?c'), { target: '/b?c' });
});

t.test('a token in the query or a form is removed, unless the route forwards it', async (t) => {
  t.match(await engine.decide(get('/orders/7?a=1&access_token=t', [])), {
    target: '/orders/7?a=1',
    privateResponse: true,
  });
  t.match(await engine.decide(get('/orders/7?access_token=t', [])), { target: '/orders/7' });
  t.match(await engine.decide(get('/keep/7?access_token=t', [])), {
    target: '/keep/7?access_token=t',
    privateResponse: true,
  });
  const taken = await engine.decide(form('/orders/7', 'a=1&access_token=t'));
  t.match(taken, { kind: 'forward', body: Buffer.from('a=1'), bodyChanged: true, privateResponse: false });
  const kept = await engine.decide(form('/keep/7', 'a=1&access_token=t'));
  t.match(kept, { kind: 'forward', body: Buffer.from('a=1&access_token=t'), bodyChanged: false });
  const whole = await engine.decide(form('/orders/7', 'a=1', bearer));
  t.match(whole, { kind: 'forward', body: Buffer.from('a=1'), bodyChanged: false });
});

t.test('a form is read only if it is a form that the route reads', async (t) => {
  const json: Request = { ...form('/orders/7', 'access_token=t'), headers: ['Content-Type', 'application/json'] };
  t.match(await engine.decide(json), { code: 'credential_missing' });
  t.match(await engine.decide({ ...json, headers: [...(json.headers ?? []), ...bearer] }), {
    kind: 'forward',
    body: Buffer.from('access_token=t'),
  });
});

function taking(wait: number | Promise<number>) {
  const keys: string[] = [];
  const limited = decider(file, {
    take: (key) => {
      keys.push(key);
      return wait;
    },
  });
  return { limited, keys };
}

t.test('a limit by identity counts after verification, and for strangers by address', async (t) => {
  const { limited, keys } = taking(0);
  t.match(await limited.decide(get('/two')), { kind: 'forward' });
  t.strictSame(keys, ['3:two client_id https://auth.example.com =shop']);
  t.match(await limited.decide(get('/by-client', [])), { kind: 'forward', identity: undefined });
  t.match(await limited.decide(get('/by-address')), { kind: 'forward', identity: alice });
  t.match(await limited.decide(get('/by-address', [])), { kind: 'forward' });
  t.strictSame(keys.slice(1), [
    '9:by-client address 192.0.2.1',
    '10:by-address address 192.0.2.1',
    '10:by-address address 192.0.2.1',
  ]);
  t.match(await limited.decide(get('/two', [])), { code: 'credential_missing' });
  t.match(await limited.decide(get('/orders/7')), { kind: 'forward' });
  t.equal(keys.length, 4, 'who lacks a credential, and a route without a limit, are not counted');
});

t.test('over the limit the client learns in whole seconds when to retry', async (t) => {
  for (const wait of [1500, Promise.resolve(1500)]) {
    const { limited } = taking(wait);
    const two = await limited.decide(get('/two'));
    t.match(two, { kind: 'refuse', code: 'rate_limited', route: { id: 'two' }, retryAfter: 2 });
    t.match(two, { cache: 'hit', identity: alice, detail: '1 in 60 s by client_id', challenges: [] });
    const address = await limited.decide(get('/by-address'));
    t.match(address, { code: 'rate_limited', retryAfter: 2, detail: '1 in 60 s by address' });
    t.equal((address as { identity?: unknown }).identity, undefined, 'nobody was verified yet');
    t.match(await limited.decide(get('/orders/7')), { kind: 'forward' });
  }
  const { limited } = taking(Promise.resolve(0));
  t.match(await limited.decide(get('/two')), { kind: 'forward' });
});

t.test('a request that is refused before the limit does not count', async (t) => {
  const keys: string[] = [];
  const take = (key: string) => {
    keys.push(key);
    return 0;
  };
  const refusing = decider(file, { take, verify: () => refused('token_expired') });
  t.match(await refusing.decide(get('/two')), { code: 'token_expired' });
  t.strictSame(keys, []);
  t.match(await refusing.decide(get('/by-address')), { code: 'token_expired' });
  t.strictSame(keys, ['10:by-address address 192.0.2.1'], 'guesses are counted by their address');
});

function scheme(name: 'basic' | 'digest', verdict: SchemeVerification, seen: string[] = []): HttpScheme {
  return {
    name,
    wantsEntity: () => undefined,
    challenges: (head, stale) => (head.origin.secure ? [`${name} ${stale}`] : []),
    verify({ value, entity }) {
      seen.push(`${value} ${entity}`);
      return verdict;
    },
  };
}

t.test('credentials of another scheme of the route go to that scheme, a token to the servers', async (t) => {
  const seen: string[] = [];
  const verified: SchemeVerification = {
    kind: 'verified',
    identity: { ...alice, scheme: 'digest' },
    cache: 'miss',
    answerFields: ['authentication-info', 'x'],
  };
  const throttled: SchemeVerification = { kind: 'throttled', retryAfter: 9 };
  const schemes = () => [scheme('digest', verified, seen), scheme('basic', throttled)];
  const both = decider(file, { schemes, verify: (): Verification => refused('token_expired') });
  const digest = await both.decide({ ...get('/orders/7', ['Authorization', 'Digest x']), body: 'whole' });
  t.match(digest, { kind: 'forward', identity: { scheme: 'digest' }, answerFields: ['authentication-info', 'x'] });
  t.strictSame(seen, ['Digest x whole']);
  const basic = await both.decide(get('/orders/7', ['Authorization', 'Basic x']));
  t.match(basic, { kind: 'refuse', code: 'login_throttled', retryAfter: 9, route: { id: 'orders' } });
  t.match(await both.decide(get('/orders/7')), { code: 'token_expired' });
});

t.test('each scheme provides its challenge, and stale is added where a scheme reports it', async (t) => {
  const schemes = () => [scheme('digest', refused('nonce_stale')), scheme('basic', refused('password_wrong'))];
  const old = decider({ ...file, bearer_methods_supported: ['header'] }, { schemes });
  const origin = { secure: true };
  const of = async (headers: readonly string[]): Promise<readonly string[]> => {
    const outcome: Outcome = await old.decide({ ...get('/orders/7', headers), origin });
    return outcome.kind === 'refuse' ? outcome.challenges.map((line) => line.replace(/ realm.*/, '')) : [outcome.kind];
  };
  t.strictSame(await of(['Authorization', 'Digest x']), ['Bearer', 'digest true', 'basic true']);
  t.strictSame(await of(['Authorization', 'Basic x']), ['Bearer', 'digest false', 'basic false']);
  t.strictSame(await of([]), ['Bearer', 'digest false', 'basic false']);
});

t.test('if the connection may not carry a password, the error is about the connection', async (t) => {
  const users = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const routes = [{ id: 'hook', match: { path: '/hook' }, auth: 'basic', basic: { users }, access: 'authenticated' }];
  const schemes = () => [scheme('basic', refused('password_wrong'))];
  const old = decider({ listen: '127.0.0.1:0', routes }, { schemes });
  for (const headers of [[], ['Authorization', 'Basic x']]) {
    const plain = await old.decide({ line: 'GET /hook', headers });
    t.match(plain, { kind: 'refuse', code: 'transport_insecure', route: { id: 'hook' } });
    const secure = await old.decide({ line: 'GET /hook', headers, origin: { secure: true } });
    t.match(secure, {
      code: headers.length === 0 ? 'credential_missing' : 'password_wrong',
      challenges: ['basic false'],
    });
  }
});

t.test('a token without an audience is for none; it passes if none is required', async (t) => {
  const verify = () => ({ kind: 'verified', identity: { ...alice, audience: undefined }, cache: 'hit' }) as const;
  t.match(await decider(file, { verify }).decide(get('/orders/7')), { code: 'token_audience' });
  const main = { issuer: 'https://auth.example.com', audience: 'any' };
  const any = decider({ ...file, authorization_servers: { main } }, { verify });
  t.match(await any.decide(get('/orders/7')), { kind: 'forward' });
});

t.test('a user without the scope is refused for the scope, also on a route without tokens', async (t) => {
  const users = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const routes = [{ id: 'hook', match: { path: '/hook' }, auth: 'basic', basic: { users }, scope: 'admin' }];
  const verified: SchemeVerification = {
    kind: 'verified',
    identity: { ...alice, scheme: 'basic', server: '' },
    cache: 'hit',
  };
  const old = decider({ listen: '127.0.0.1:0', routes }, { schemes: () => [scheme('basic', verified)] });
  const outcome = await old.decide({ line: 'GET /hook', headers: ['Authorization', 'Basic x'] });
  t.match(outcome, { kind: 'refuse', code: 'scope_insufficient', identity: { subject: 'alice' } });
  t.strictSame((outcome as { challenges?: unknown }).challenges, [], 'Bearer is not accepted here');
});

/** A scheme whose credentials are in its own parameter or header. */
function placedScheme(place: 'header' | 'query'): HttpScheme {
  const verified: SchemeVerification = { kind: 'verified', identity: { ...alice, scheme: 'api_key' }, cache: 'miss' };
  return {
    ...scheme('basic', verified),
    name: 'key',
    places: [{ in: place, name: place === 'query' ? 'key' : 'x-key' }],
  };
}

t.test('the answer to a credential outside Authorization is never in a shared cache (RFC 9111 §3.5)', async (t) => {
  for (const place of ['header', 'query'] as const) {
    const keyed = decider(file, { schemes: () => [placedScheme(place)] });
    const request = place === 'query' ? get('/orders/7?a=1&key=k', []) : get('/orders/7?a=1', ['X-Key', 'k']);
    const outcome = await keyed.decide(request);
    t.match(outcome, {
      kind: 'forward',
      identity: { scheme: 'api_key' },
      privateResponse: true,
      target: '/orders/7?a=1',
    });
    t.match(
      await keyed.decide(get('/orders/7')),
      { kind: 'forward', privateResponse: false },
      'a token in Authorization',
    );
  }
  const basic = decider(file, {
    schemes: () => [scheme('basic', { kind: 'verified', identity: alice, cache: 'hit' })],
  });
  const inHeader = await basic.decide(get('/orders/7', ['Authorization', 'Basic x']));
  t.match(inHeader, { kind: 'forward', privateResponse: false });
});

t.test('a route that forwards credentials forwards them in the query and the body', async (t) => {
  const keyed = decider(file, { schemes: () => [placedScheme('query')] });
  t.match(await keyed.decide(get('/keep/7?key=k', [])), { target: '/keep/7?key=k', privateResponse: true });
});

t.test("without a credential the log names a place of the credential's own scheme", async (t) => {
  const keyed = decider(file, { schemes: () => [placedScheme('header')] });
  t.match(await keyed.decide(get('/orders/7', [])), {
    code: 'credential_missing',
    detail: 'the request has no credential where this route reads one',
  });
  t.match(await keyed.decide(get('/orders/7', ['X_Key', 'k'])), {
    code: 'credential_misspelt',
    detail: 'the request has another spelling of x-key',
  });
});

t.test('a rule must be true in each reading of the path that a server may have', async (t) => {
  const routes = [
    {
      id: 'claims',
      match: { path: '/claims/{id}' },
      access: 'authenticated',
      claims: { tenant: { equals: 'path.id' } },
      encoded_slashes: 'keep',
    },
    { id: 'when', match: { path: '/when/{id}' }, access: 'authenticated', when: 'request.path == "/when/a b"' },
  ];
  const strict = decider({ ...file, routes });
  t.match(await strict.decide(get('/claims/acme')), { kind: 'forward' });
  t.match(
    await strict.decide(get('/claims/acme%20')),
    { code: 'condition_failed', detail: 'claims' },
    'or with a blank',
  );
  t.match(await strict.decide(get('/when/a%20b')), { kind: 'forward' });
  t.match(
    await strict.decide(get('/when/a%20b%20')),
    { code: 'condition_failed', detail: 'when' },
    'with or without a blank',
  );
});

t.test('a refusal keeps its cause', async (t) => {
  const mismatch = { claim: 'exp', found: 1, expected: [2] } as never;
  const refusing = decider(file, { verify: () => refused('token_expired', 'why', mismatch) });
  t.match(await refusing.decide(get('/orders/7')), { code: 'token_expired', detail: 'why', mismatch });
});
