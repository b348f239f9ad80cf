import t, { type Test } from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import type { AssumedToken } from '../../../src/config/schema/test-case.ts';
import { parseRequestLine } from '../../../src/config/words/request-line.ts';
import { assumedVerifier } from '../../../src/gateway/explain/assumed.ts';
import { buildDryEngine } from '../../../src/gateway/explain/dry-engine.ts';
import { type Explanation, explain } from '../../../src/gateway/explain/explain.ts';
import { digestLines, userFile } from '../../support/user-files.ts';

const text = `version: 1
resource: https://api.example.com
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9", credentials: { basic: { username: me, password: hidden-word } } } }
defaults: { upstream: api }
routes:
  - { id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read, rewrite: { strip_prefix: /orders, add_prefix: /v1 } }
  - { id: rest, match: { path: "/orders/{rest*}" }, access: public }
  - { id: either, match: { path: /either }, scope: { any_of: [orders.write, orders.read admin] } }
  - { id: all, match: { path: /beta-all }, access: authenticated }
  - { id: beta, match: { path: /beta, headers: { x-beta: "1" } }, access: optional }
  - { id: pages, match: { path: /pages }, access: public, origins: ["https://shop.example"] }
`;

interface Given {
  /** Keys that the file has too. */
  readonly more?: string;
  readonly token?: AssumedToken;
  readonly headers?: readonly (readonly [string, string])[];
}

async function explained(request: string, { token, headers = [], more = '' }: Given = {}): Promise<Explanation> {
  const loaded = loadGatewayText(text + more);
  const line = parseRequestLine(request);
  if (!loaded.ok || line === undefined) throw new Error('the test is wrong');
  const tokens = new Map(token === undefined ? [] : [['assumed', token]]);
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, tokens));
  const given = token === undefined ? {} : { token: 'assumed' };
  return explain(loaded, dry, { ...line, host: 'api.example.com', headers, ...given });
}

t.test('a preflight that a browser reads as a no says why', async (t) => {
  const headers = [
    ['Origin', 'https://evil.example'],
    ['Access-Control-Request-Method', 'GET'],
  ] as const;
  const told = JSON.stringify(await explained('OPTIONS /orders/7', { headers }));
  t.match(told, 'the gateway itself answers; a browser will not send the request: the file has no `cors`');
});

t.test('a Content-Type announces a body: explain names the place that the route does not read', async (t) => {
  const form = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
  const detail = async (more = '') => (await explained('POST /either', { headers: form, more })).answer.detail;
  t.equal(await detail(), 'this route does not read a token in the body');
  t.equal(await detail('bearer_methods_supported: [body]\n'), 'the request has no token where this route reads one');
  const json = [['Content-Type', 'application/json']] as const;
  const told = await explained('POST /either', { headers: json, more: 'bearer_methods_supported: [header, body]\n' });
  t.match(told.answer.detail, /there is no Authorization field, and a body with a token must be a form/);
});

t.test('a Content-Type of GET or DELETE announces no body, as at the gateway', async (t) => {
  const headers = [['Content-Type', 'application/json']] as const;
  const more = '  - { id: tools, match: { path: /mcp }, access: authenticated, mcp: { sessions: true } }\n';
  for (const method of ['GET', 'DELETE'])
    t.match(
      await explained(`${method} /mcp`, { headers, more, token: {} }),
      { route: 'tools', upstream: { method } },
      method,
    );
  const length = [...headers, ['Content-Length', '2']] as const;
  t.match(await explained('GET /mcp', { headers: length, more, token: {} }), {
    answer: { code: 'mcp_message_invalid' },
  });
});

t.test('explain names the list that a page is not in', async (t) => {
  const headers = [['Origin', 'https://evil.example']] as const;
  const told = await explained('GET /pages', { headers });
  t.match(told, { route: 'pages', answer: { status: 403, code: 'origin_refused' } });
  t.match(
    told.steps.find(({ step }) => step === 'route'),
    {
      verdict: 'refused',
      detail: /the origin https:\/\/evil.example is not in `origins`/,
      at: 'gateway.yaml:12',
    },
  );
  const { steps } = await explained('GET /pages', { headers: [['Origin', 'https://shop.example']] });
  t.ok(steps.every(({ verdict }) => verdict !== 'refused'));
});

t.test('explain shows the route and its line, each step, and what the upstream would get', async (t) => {
  const told = await explained('GET /orders/7', {
    token: { scope: 'orders.read', sub: 'alice' },
    headers: [['X-Auth-Subject', 'mallory']],
  });
  t.match(told, { route: 'read', answer: { kind: 'forward' }, upstream: { upstream: 'api', target: '/v1/7' } });
  t.match(told.candidates, [
    { route: 'read', at: 'gateway.yaml:7', misfits: [] },
    { route: 'rest', misfits: ['less specific than read'] },
  ]);
  const headers = Object.fromEntries(told.upstream?.headers ?? []);
  t.match(headers, { 'x-auth-subject': 'alice', authorization: '[redacted]', host: 'api.example.com' });
  t.strictSame(
    told.steps.map(({ verdict }) => verdict),
    Array(9).fill('passed'),
  );
});

t.test('a refusal names its step, the code, the challenge and the line of the requirement', async (t) => {
  const told = await explained('GET /orders/7', { token: { scope: 'other' } });
  t.match(told.answer, { status: 403, code: 'scope_insufficient', challenges: [/scope="orders.read"/] });
  const permit = told.steps.find(({ step }) => step === 'permit');
  t.match(permit, {
    verdict: 'refused',
    detail: /needed: orders.read; missing: orders.read; held: other/,
    at: 'gateway.yaml:7',
  });
  t.equal(told.upstream, undefined);
});

t.test('a scope that is enough because it implies the required one is named with it', async (t) => {
  const more = 'scopes: { orders.write: { implies: [orders.read] } }\n';
  const told = await explained('GET /orders/7', { token: { scope: 'orders.write' }, more });
  const permit = told.steps.find(({ step }) => step === 'permit');
  t.equal(permit?.detail, 'needed: scope orders.read; held: scope orders.write (orders.write implies orders.read)');
  const headers = Object.fromEntries(told.upstream?.headers ?? []);
  t.equal(headers['x-auth-scope'], 'orders.write', 'the upstream sees what the token has');
  const refused = await explained('GET /either', { token: { scope: 'admin' }, more });
  t.match(refused.steps.find(({ step }) => step === 'permit')?.detail, /missing: orders.write; held: admin/);
});

t.test("the route's requirements and the token's contents are separate lists", async (t) => {
  const permitOf = async (request: string, scope: string) => {
    const { steps } = await explained(request, { token: { scope } });
    return steps.find(({ step }) => step === 'permit')?.detail;
  };
  t.equal(
    await permitOf('GET /either', 'orders.read orders.write'),
    'needed: scope orders.write, or orders.read admin; held: scope orders.read orders.write',
  );
  t.equal(await permitOf('GET /beta-all', 'x'), 'any valid token');
});

t.test('the mismatch of every candidate is shown, and a wider route does not open a narrower one', async (t) => {
  const told = await explained('POST /orders/7');
  t.match(told.answer, { status: 405, allow: ['GET'] });
  t.match(told.candidates, [
    { route: 'read', misfits: ['method: POST is not among GET'] },
    { route: 'rest', misfits: ['read is more specific but does not accept POST, so a public route does not match'] },
  ]);
  t.match((await explained('GET /beta')).candidates, [
    { route: 'beta', misfits: ['header x-beta: 1: the request has none'] },
  ]);
  t.match((await explained('GET /beta', { headers: [['X-Beta', '1']] })).answer, { kind: 'forward' });
});

t.test('the target is judged as written', async (t) => {
  const told = await explained('GET /orders/../7');
  t.match(told.answer, { status: 400, code: 'target_dot_segment' });
});

t.test('the verify step names the user and the client of the token that are known', async (t) => {
  const words = {
    'a token without user and client': {},
    'user alice': { sub: 'alice' },
    'client shop': { client_id: 'shop' },
    'user alice, client shop': { sub: 'alice', client_id: 'shop' },
  };
  for (const [owner, token] of Object.entries(words)) {
    const { steps } = await explained('GET /orders/7', { token: { scope: 'orders.read', ...token } });
    t.match(steps.find(({ step }) => step === 'verify')?.detail, new RegExp(`^${owner}, scope orders\\.read, `));
  }
  const own = await explained('GET /orders/7', { token: { scope: 'orders.read', sub: 'shop', client_id: 'shop' } });
  t.match(
    own.steps.find(({ step }) => step === 'verify')?.detail,
    /^client shop, scope/,
    'a token of the client itself',
  );
});

t.test('a Digest user counts as verified by name, and is shown with scope and realm', async (t) => {
  const users = userFile(t, digestLines('alice', 'm', 'x'));
  const digest = `digest: { realm: m, users: "${users}", scopes: { alice: read } }`;
  const route = `{ id: meters, match: { path: /meters }, auth: { any_of: [bearer, digest] }, ${digest}, scope: read }`;
  const loaded = loadGatewayText(`${text}  - ${route}\n`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()));
  const asked = { method: 'GET', target: '/meters', host: 'api.example.com' };
  const told = await explain(loaded, dry, { ...asked, user: 'alice' });
  t.match(told, { route: 'meters', answer: { kind: 'forward' } });
  const detail = (step: string) => told.steps.find((each) => each.step === step)?.detail;
  t.equal(detail('credential'), 'credentials of digest');
  t.equal(detail('verify'), 'alice, scope read, verified as a user of digest:m');
  t.notMatch(JSON.stringify(told), /assumed-/);
  const none = await explain(loaded, dry, asked);
  t.match(none.answer, {
    status: 401,
    challenges: [/^Bearer realm/, /^Digest realm="m", qop="auth", algorithm=SHA-256/],
  });
});

/** `explain` of alice, who has only an MD5 hash in the file, and of bob, at a Digest route. */
async function explainedUser(t: Test, user: string, route: string): Promise<Explanation> {
  const users = userFile(t, digestLines('alice', 'm', 'x', ['MD5']) + digestLines('bob', 'm', 'x'));
  const at = `{ id: meters, match: { path: /meters }, auth: digest, digest: { realm: m, users: "${users}"${route} }`;
  const loaded = loadGatewayText(`${text}  - ${at}\n`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()), { directory: loaded.directory });
  return explain(loaded, dry, { method: 'GET', target: '/meters', host: 'api.example.com', user });
}

t.test('a user without a hash that the route offers is refused, and the reason names both', async (t) => {
  const scope = ', scopes: { alice: read, bob: read } }, scope: read';
  const told = await explainedUser(t, 'alice', scope);
  t.match(told.answer, {
    status: 401,
    code: 'password_wrong',
    detail: /^the file hashes the password of this user with MD5, .* offers SHA-256: /,
  });
  t.match(
    told.steps.find(({ step }) => step === 'verify'),
    { verdict: 'refused', detail: /this user with MD5/ },
  );
  t.match((await explainedUser(t, 'bob', scope)).answer, { kind: 'forward' });
  const both = await explainedUser(t, 'alice', `, algorithms: [SHA-256, MD5-sess]${scope}`);
  t.match(both.answer, { kind: 'forward' }, 'one of them is enough');
  t.match(
    (await explainedUser(t, 'carol', scope)).answer,
    { code: 'scope_insufficient' },
    'who is not there is assumed',
  );
});

t.test('for a user the explanation never says that a token lacks something', async (t) => {
  const told = await explainedUser(t, 'bob', ' }, scope: read');
  t.match(told.answer, {
    status: 403,
    code: 'scope_insufficient',
    text: 'The user lacks a scope that this request needs.',
  });
  t.match(
    told.steps.find(({ step }) => step === 'permit'),
    { detail: /^The user lacks .*\(needed: read; missing: read; held: none\)$/ },
  );
  const condition = await explainedUser(t, 'bob', ' }, access: authenticated, claims: { team: { equals: red } }');
  t.match(condition.answer, { code: 'condition_failed', text: /^The user or the request does not meet a condition/ });
  const passed = await explainedUser(t, 'bob', ' }, access: authenticated');
  t.equal(passed.steps.find(({ step }) => step === 'permit')?.detail, 'any valid user');
  for (const each of [told, condition, passed]) t.notMatch(JSON.stringify([each.steps, each.answer.text]), /token/);
});

t.test('for an upstream that requires Digest it shows the user name, and no password', async (t) => {
  const credentials = 'credentials: { digest: { username: me, password: hidden-word } }';
  const loaded = loadGatewayText(text.replace(/credentials: \{ basic.*?\} \}/, credentials));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const dry = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()));
  const told = await explain(loaded, dry, { method: 'GET', target: '/orders/a/b', host: 'api.example.com' });
  t.strictSame(
    told.upstream?.headers.filter(([name]) => name === 'authorization'),
    [['authorization', 'Digest as me']],
  );
  t.notMatch(JSON.stringify(told), /hidden-word/);
});
