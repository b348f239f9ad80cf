import t, { type Test } from 'tap';
import { buildLog } from '../../../src/base/log.ts';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { type Outcome, refuse } from '../../../src/gateway/decide/outcome.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { type Explanation, explain } from '../../../src/gateway/explain/explain.ts';
import { explainToken } from '../../../src/gateway/explain/explained-token.ts';
import { buildVerifiers } from '../../../src/gateway/verify/verifiers.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';
import { encode } from '../../jwt/tokens.ts';
import { json } from '../../support/endpoint.ts';
import { gatewayYaml } from '../../support/gateway.ts';
import { heldClock, openIssuer } from '../issuer.ts';

const audience = 'https://api.example.com';

/** `explain` of one token at a route for orders.read, with an authorization server that really answers. */
async function scene(t: Test, block: object = {}, others: object = {}) {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const main = { issuer: issuer.url, audience, client_id: 'gateway', client_secret: 'x'.repeat(32), ...block };
  const text = gatewayYaml({
    development: true,
    authorization_servers: { main, ...others },
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    routes: [
      { id: 'read', match: { path: '/orders' }, scope: 'orders.read' },
      { id: 'open', match: { path: '/open' }, access: 'public' },
    ],
  });
  const loaded = loadGatewayText(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const ask = async (token: string, target = '/orders', inHeader = false): Promise<Explanation> => {
    const heard = new Map<string, JsonObject>();
    const hear = (server: string, answer: JsonObject) => void heard.set(server, answer);
    const log = buildLog({ level: 'silent', format: 'json' });
    const verifiers = buildVerifiers(loaded.config, { clock, log, directory: '.', heard: hear });
    await verifiers.start();
    const carried = inHeader ? { headers: [['Authorization', `Bearer ${token}`]] as const } : { token };
    const asked = { method: 'GET', target, host: 'api.example.com', ...carried };
    const dry = buildDryEngine(loaded, verifiers.verifier);
    return explain(loaded, dry, asked, { now: clock.now() / 1000, heard }).finally(() => verifiers.close());
  };
  return { issuer, ask, config: loaded.config, now: clock.now() / 1000 };
}

/** Name of each check → its mark. */
function marksOf({ token }: Explanation): object {
  return Object.fromEntries((token?.checks ?? []).map(({ name, mark }) => [name, mark]));
}

const checkOf = ({ token }: Explanation, name: string) => token?.checks.find((check) => check.name === name);

const sound = {
  alg: 'fits',
  typ: 'fits',
  iss: 'fits',
  exp: 'fits',
  iat: 'fits',
  kid: 'fits',
  aud: 'fits',
  scope: 'fits',
};

t.test('for a valid token every check passes, and its claims are given as data', async (t) => {
  const { issuer, ask, now } = await scene(t);
  const told = await ask(await issuer.sign({ jti: 'hidden-word', sub: 'hidden-word', aud: [audience] }));
  t.match(told, { answer: { kind: 'forward' }, token: { kind: 'jwt', server: 'main' } });
  t.strictSame(marksOf(told), sound);
  t.match(told.token, { header: { alg: 'ES256', typ: 'at+jwt' }, claims: { iss: issuer.url, exp: now + 3600 } });
  t.match(checkOf(told, 'exp'), { note: 'in 1 h' });
  t.notMatch(JSON.stringify(told.token), /hidden-word/);
});

t.test('a token in a given header is shown like a token that is given alone', async (t) => {
  const { issuer, ask } = await scene(t);
  const told = await ask(await issuer.sign({ aud: 'a' }), '/orders', true);
  t.strictSame(marksOf(told), { ...sound, aud: 'fails' });
  t.equal((await ask('', '/orders', true)).token, undefined, 'no token');
});

t.test('all mismatches are shown at once, and unreached checks are unknown', async (t) => {
  const { issuer, ask, now } = await scene(t);
  const claims = { iss: `${issuer.url}/`, exp: now - 6_600, nbf: now + 600, iat: undefined, aud: ['a'], scope: 'x' };
  const told = await ask(await issuer.sign(claims, { header: { typ: 'JWT' } }));
  const marks = {
    typ: 'fails',
    iss: 'fails',
    exp: 'fails',
    nbf: 'fails',
    kid: 'unknown',
    aud: 'fails',
    scope: 'fails',
  };
  t.strictSame(marksOf(told), { alg: 'fits', ...marks });
  t.match(checkOf(told, 'iss'), { note: 'differs only by a slash at the end', expected: `"${issuer.url}"` });
  t.match(checkOf(told, 'exp'), { note: /^expired 1 h 50 min ago/ });
  t.match(checkOf(told, 'scope'), { found: 'x', expected: 'orders.read', note: 'missing: orders.read' });
  t.match(told.answer.mismatch, { claim: 'iss' });
  t.match(told.steps.find(({ step }) => step === 'verify')?.detail, /iss: found ".*", expected ".*"; differs only by/);
});

t.test('a security event shows as one, with any kind of verification', async (t) => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const { issuer, ask } = await scene(t);
  const told = await ask(await issuer.sign({ events }));
  t.strictSame(marksOf(told), { ...sound, kid: 'unknown', events: 'fails' });
  t.match(checkOf(told, 'events'), { found: 'a security event', expected: 'none' });
  const asking = await scene(t, { verify: 'introspection' });
  t.match(marksOf(await asking.ask(await asking.issuer.sign({ events }))), { iss: 'fits', events: 'fails' });
  asking.issuer.answer = (_token, response) => json(response, { active: true, events });
  t.match(marksOf(await asking.ask('opaque')), { active: 'fits', events: 'fails' });
});

t.test('an unknown key is shown with the keys of the server', async (t) => {
  const { issuer, ask } = await scene(t);
  const told = await ask(await issuer.sign({}, { header: { kid: 'k9' } }));
  t.strictSame(marksOf(told), { ...sound, kid: 'fails' });
  t.match(checkOf(told, 'kid'), { found: '"k9"', expected: '"key-ES256" (ES256)' });
  const out = await scene(t, { jwks_uri: 'http://127.0.0.1:9/jwks' });
  const unknown = await out.ask(await out.issuer.sign());
  t.match(checkOf(unknown, 'kid'), { mark: 'unknown', expected: /not known: "ECONNREFUSED"/ });
});

t.test("a claim that the file requires is shown without the token's value", async (t) => {
  const { issuer, ask } = await scene(t, { required_claims: { token_use: ['access'] } });
  const told = await ask(await issuer.sign({ token_use: 'hidden-word' }));
  t.strictSame(marksOf(told), { ...sound, token_use: 'fails' });
  t.match(checkOf(told, 'token_use'), { found: 'another value', expected: '"access"' });
  t.notMatch(JSON.stringify(told), /hidden-word/);
});

t.test('the cause of the refusal decides whether a key signed it, not the sentence', async (t) => {
  const { issuer, config, now } = await scene(t);
  const token = await issuer.sign();
  const markOf = (outcome: Outcome) =>
    explainToken({ config, token, route: undefined, outcome, now, heard: new Map() }).checks.find(
      ({ name }) => name === 'kid',
    )?.mark;
  t.equal(markOf(refuse('token_type', { detail: 'a claim is missing', cause: 'required_claims' })), 'fits');
  t.equal(markOf(refuse('token_type', { detail: 'required_claims' })), 'unknown');
  t.equal(markOf(refuse('token_revoked')), 'fits');
  t.equal(markOf(refuse('token_revoked', { cause: 'user_key' })), 'unknown', 'no signature was verified');
});

t.test('for an opaque token the answer of introspection is shown', async (t) => {
  const { issuer, ask, now } = await scene(t);
  const answer = (members: object, target?: string) => {
    issuer.answer = (_token, response) => json(response, members);
    return ask('opaque-token', target);
  };
  const good = { active: true, scope: 'orders.read', aud: audience, exp: now + 60, username: 'hidden-word' };
  const passed = await answer(good);
  t.strictSame(marksOf(passed), { active: 'fits', exp: 'fits', aud: 'fits', scope: 'fits' });
  t.match(passed.token, { kind: 'opaque', server: 'main', introspection: { active: true, aud: audience } });
  t.notMatch(JSON.stringify(passed.token), /hidden-word|opaque-token/);
  const wrong = await answer({ ...good, iss: `${issuer.url}/`, aud: 'a', token_type: 'DPoP', exp: now - 60, cnf: {} });
  const fails = { iss: 'fails', token_type: 'fails', exp: 'fails', cnf: 'fails', aud: 'fails' };
  t.strictSame(marksOf(wrong), { active: 'fits', ...fails, scope: 'fits' });
  t.strictSame(marksOf(await answer({ active: false })), { active: 'fails' });
  issuer.answer = (_token, response) => response.writeHead(500).end();
  t.match(checkOf(await ask('opaque-token'), 'active'), { mark: 'unknown', found: 'status 500' });
});

t.test('for an inactive token, a note says that a gateway with a feed may know about a revocation', async (t) => {
  for (const [events, note] of [
    [
      undefined,
      /not active; the running gateway may answer `token_revoked`, because it knows the ended tokens from the feed or from reports$/,
    ],
    ['none', /not active$/],
  ] as const) {
    const { issuer, ask } = await scene(t, { events });
    issuer.answer = (_token, response) => json(response, { active: false });
    const told = await ask('opaque-token');
    t.match(told.answer, { status: 401, code: 'token_inactive' });
    t.match(checkOf(told, 'active')?.note, note);
  }
});

t.test('if a JWT is introspected too, both its claims and the answer are shown', async (t) => {
  const { issuer, ask } = await scene(t, { verify: 'both' });
  issuer.answer = (_token, response) => json(response, { active: true, scope: 'x', exp: 1 });
  const told = await ask(await issuer.sign());
  t.match(marksOf(told), { exp: 'fits', active: 'fits', 'exp (introspection)': 'fails' });
  issuer.answer = (_token, response) => json(response, { active: false });
  t.match(marksOf(await ask(await issuer.sign())), { ...sound, active: 'fails' });
});

t.test('a token in a form that no server accepts, and one at a public route, are described as such', async (t) => {
  const { issuer, ask } = await scene(t);
  const crit = await ask(encode({ alg: 'ES256', crit: ['b64'] }, {}));
  t.match(crit.token, { kind: 'malformed', checks: [{ name: 'form', mark: 'fails', found: 'header parameter crit' }] });
  const open = await ask(await issuer.sign({ iss: 'https://evil.example' }), '/open');
  t.match(open, { answer: { kind: 'forward' } });
  t.match(marksOf(open), { iss: 'fails', kid: 'unknown', aud: 'unknown' });
});

t.test(
  'for a server that always uses introspection only the issuer of a JWT is compared, and the answer is shown',
  async (t) => {
    const { issuer, ask } = await scene(t, { verify: 'introspection' });
    issuer.answer = (_token, response) => json(response, { active: true, scope: 'orders.read', aud: audience });
    const told = await ask(await issuer.sign({ exp: 1 }, { header: { typ: 'JWT' } }));
    t.match(told.answer, { kind: 'forward' });
    t.strictSame(marksOf(told), { iss: 'fits', active: 'fits', aud: 'fits', scope: 'fits' });
  },
);

t.test('for a token that matches none of several servers it says that no server is responsible', async (t) => {
  const other = { issuer: 'https://other.example', jwks_uri: 'http://127.0.0.1:9/jwks', audience };
  const { issuer, ask } = await scene(t, {}, { other });
  const told = await ask(await issuer.sign({ iss: 'https://evil.example' }));
  t.equal(told.token?.server, undefined);
  t.strictSame(marksOf(told), { alg: 'unknown', iss: 'fails', aud: 'unknown', scope: 'fits' });
  t.match(checkOf(told, 'iss'), { expected: `"${issuer.url}" or "https://other.example"` });
  t.match((await ask(await issuer.sign({ iss: 'http://other.example/' }))).token, { server: 'other' });
});
