import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import type { Explanation } from '../../src/gateway/explain/explain.ts';
import { explainVerified } from '../../src/gateway/explain/ways.ts';
import { corpus, skip as skipWithoutCorpora } from '../support/corpora.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { type Random, random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Asks the same 1,000 questions in three ways: 20 s on a busy machine. */
t.setTimeout(120_000);

const QUESTIONS = 1_000;

interface Question {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly token: string | undefined;
}

const lists = ['patt_deep_traversal.txt', 'patt_directory_traversal.txt', 'patt_traversals-8-deep-exotic-encoding.txt'];

/** Every line that a request line can hold. */
function hostilePaths(): readonly string[] {
  const lines = lists.flatMap((name) => corpus(`path-lists/${name}`).split('\n'));
  const whole = lines.map((line) => line.trim().replaceAll('{FILE}', 'etc/passwd'));
  return whole.filter((line) => /^[\x21-\x7e]+$/.test(line)).map((line) => (line.startsWith('/') ? line : `/${line}`));
}

const plain = [
  '/orders/1',
  '/orders/',
  '/orders',
  '/admin/x',
  '/public/a',
  '/none',
  '/',
  '/ORDERS/1',
  '/orders/1?a=b',
  '/shadow/1',
  '/both/7',
];

function question(dice: Random, paths: readonly string[], tokens: readonly string[]): Question {
  const path = dice.chance(0.5) ? dice.pick(plain) : dice.pick(['', '/orders', '/public', '/admin']) + dice.pick(paths);
  const token = dice.chance(0.75) ? dice.pick(tokens) : undefined;
  const headers: [string, string][] = [];
  if (dice.chance(0.1)) headers.push(['X-Version', dice.pick(['1', '2'])]);
  if (dice.chance(0.05)) headers.push(['Origin', 'https://page.example']);
  if (token === undefined && dice.chance(0.2))
    headers.push(['Authorization', dice.pick(['Bearer', 'Basic YTpi', 'Bearer a b', 'x'])]);
  return { method: dice.pick(['GET', 'GET', 'GET', 'DELETE', 'OPTIONS', 'PROPFIND']), target: path, headers, token };
}

async function tokens(): Promise<readonly string[]> {
  const past = Math.floor(Date.now() / 1000) - 3_600;
  const claims = [
    { scope: 'orders.read' },
    { scope: 'admin orders.read' },
    { scope: '' },
    { scope: 'orders.read', aud: 'https://other.example' },
    { scope: 'orders.read', iss: 'https://other.example' },
    { scope: 'orders.read', iat: past, exp: past + 60 },
    { scope: 'orders.read', sub: 'bob' },
  ];
  const signed = await Promise.all(claims.map((each) => jwt(each, { alg: 'HS256' })));
  return [...signed, `${signed[0]}x`, 'opaque', 'a.b.c'];
}

const file = (upstream: string) =>
  behind(upstream, {
    admin: '127.0.0.1:0',
    routes: [
      { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
      { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
      { id: 'orders', match: { methods: ['GET', 'HEAD'], path: '/orders/{rest*}' }, scope: 'orders.read' },
      { id: 'version', match: { path: '/orders/{rest*}', headers: { 'X-Version': '2' } }, scope: 'orders.write' },
      { id: 'shadow', match: { path: '/shadow/{id}' }, scope: 'admin', mode: 'shadow' },
      { id: 'both', match: { path: '/both/{id}' }, access: 'optional', claims: { sub: { equals: 'alice' } } },
    ],
  });

/** `forward`, `reply`, or the code of the refusal. */
function verdictOf({ answer: { kind, code } }: Explanation): string {
  return code ?? kind;
}

t.test(
  'the playground, `explain` and the live gateway give the same verdict',
  { skip: skipWithoutCorpora },
  async (t) => {
    const upstream = await witness(t);
    const running = await gateway(t, file(upstream.url));
    const loaded = loadGatewayText(gatewayYaml(file(upstream.url)), { file: 'gateway.yaml' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const [dice, paths, known] = [random(26), hostilePaths(), await tokens()];
    const seen = new Map<string, number>();
    const different: string[] = [];
    for (let index = 0; index < QUESTIONS; index++) {
      const asked = question(dice, paths, known);
      const { method, target, headers, token } = asked;
      const url = `http://127.0.0.1:${running.port}${target}`;
      const posted = await fetch(`${running.adminUrl}/api/explain`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ method, url, headers, token }),
      });
      const { explanation } = (await posted.json()) as { explanation: Explanation };
      const place = { host: `127.0.0.1:${running.port}`, secure: false };
      const explained = await explainVerified(loaded, { method, target, ...place, headers, token });
      const live = await answerTo(running.port, asked, upstream.seen.length, () => upstream.seen.length);
      const verdicts = [verdictOf(explanation), verdictOf(explained), live];
      seen.set(live, (seen.get(live) ?? 0) + 1);
      if (new Set(verdicts).size > 1)
        different.push(`${method} ${target} ${JSON.stringify(headers)} ${token?.slice(0, 9)}: ${verdicts.join(' / ')}`);
    }
    t.comment(JSON.stringify(Object.fromEntries(seen)));
    t.strictSame(different, []);
    t.ok(seen.size > 12, 'the questions have many answers');
  },
);

async function answerTo(
  port: number,
  { method, target, headers, token }: Question,
  before: number,
  forwarded: () => number,
): Promise<string> {
  const lines = token === undefined ? headers : [...headers, bearer(token)];
  const bytes = requestText({
    method,
    target,
    host: `127.0.0.1:${port}`,
    headers: [...lines, ['Connection', 'close']],
  });
  const response = await ask(port, bytes, { method });
  if (forwarded() > before) return 'forward';
  if (response.status < 300) return 'reply';
  return (JSON.parse(response.body.toString()) as { code: string }).code;
}
