import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import type { Explanation } from '../../src/gateway/explain/explain.ts';
import { explainVerified } from '../../src/gateway/explain/ways.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { corpus, skip as skipWithoutCorpora } from '../support/corpora.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { type Random, random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

/** Asks the same 1,000 questions in three ways: 20 s, and two minutes on a busy machine. */
t.setTimeout(240_000);

const QUESTIONS = 1_000;

interface Question {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly token: string | undefined;
  /** A user of Basic, who sends the right password. */
  readonly user?: string;
  /** The operation of a message for tools. */
  readonly mcp?: string;
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

/** Username → password. The file of users has both. */
const passwords: Readonly<Record<string, string>> = { alice: 'wonderland', bob: 'builder' };

const operations = [
  'tools/list',
  'tools/call look',
  'tools/call delete',
  'tools/call',
  'resources/read file:///notes',
  'prompts/get greeting',
  'initialize',
  'ping',
  'no/method',
];

/** Each tenth question has a user, and each tenth a message. */
function question(dice: Random, paths: readonly string[], tokens: readonly string[]): Question {
  const kind = dice.pick(['user', 'mcp', ...Array.from({ length: 8 }, () => 'plain')]);
  if (kind === 'user') {
    const target = dice.pick(['/people/1', '/people/2', '/public/a', '/none', `/people${dice.pick(paths)}`]);
    return { method: 'GET', target, headers: [], token: undefined, user: dice.pick(Object.keys(passwords)) };
  }
  if (kind === 'mcp') {
    const target = dice.pick(['/tools', '/tools', '/tools', '/public/a', `/tools${dice.pick(paths)}`]);
    const token = dice.chance(0.9) ? dice.pick(tokens) : undefined;
    return { method: 'POST', target, headers: [], token, mcp: dice.pick(operations) };
  }
  return plainQuestion(dice, paths, tokens);
}

function plainQuestion(dice: Random, paths: readonly string[], tokens: readonly string[]): Question {
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
    { scope: 'tools' },
    { scope: 'tools admin' },
    { scope: 'orders.read', aud: 'https://other.example' },
    { scope: 'orders.read', iss: 'https://other.example' },
    { scope: 'orders.read', iat: past, exp: past + 60 },
    { scope: 'orders.read', sub: 'bob' },
  ];
  const signed = await Promise.all(claims.map((each) => jwt(each, { alg: 'HS256' })));
  return [...signed, `${signed[0]}x`, 'opaque', 'a.b.c'];
}

const file = (upstream: string, users: string) =>
  behind(upstream, {
    admin: '127.0.0.1:0',
    routes: [
      { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
      { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
      { id: 'orders', match: { methods: ['GET', 'HEAD'], path: '/orders/{rest*}' }, scope: 'orders.read' },
      { id: 'version', match: { path: '/orders/{rest*}', headers: { 'X-Version': '2' } }, scope: 'orders.write' },
      { id: 'shadow', match: { path: '/shadow/{id}' }, scope: 'admin', mode: 'shadow' },
      {
        id: 'people',
        match: { path: '/people/{id}' },
        auth: 'basic',
        basic: { realm: 'people', users, scopes: { alice: 'people.read' } },
        scope: 'people.read',
      },
      {
        id: 'tools',
        match: { path: '/tools' },
        mcp: { versions: [REVISION], scope: { '*': 'tools', 'tools/call delete': 'admin' } },
      },
      { id: 'both', match: { path: '/both/{id}' }, access: 'optional', claims: { sub: { equals: 'alice' } } },
    ],
  });

/** Of the Model Context Protocol. Its messages have no copies in headers. */
const REVISION = '2025-11-25';

/** The message of a client, and its headers. */
function messageOf(mcp: string): Pick<Parameters<typeof requestText>[0], 'headers' | 'body'> {
  const [method = '', name] = mcp.split(' ');
  const member = method === 'resources/read' ? 'uri' : 'name';
  const params = name === undefined ? {} : { [member]: name };
  return {
    headers: [
      ['Content-Type', 'application/json'],
      ['MCP-Protocol-Version', REVISION],
    ],
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  };
}

/** `forward`, `reply`, or the code of the refusal. */
function verdictOf({ answer: { kind, code } }: Explanation): string {
  return code ?? kind;
}

t.test(
  'the playground, `explain` and the live gateway give the same verdict',
  { skip: skipWithoutCorpora },
  async (t) => {
    const upstream = await witness(t);
    const lines = Object.entries(passwords).map(([name, password]) => `${name}:${passwordHash(password)}\n`);
    const asked = file(upstream.url, userFile(t, lines.join('')));
    const running = await gateway(t, asked);
    const loaded = loadGatewayText(gatewayYaml(asked), { file: 'gateway.yaml' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const [dice, paths, known] = [random(26), hostilePaths(), await tokens()];
    const seen = new Map<string, number>();
    const answers = new Map<string, Set<string>>();
    const different: string[] = [];
    for (let index = 0; index < QUESTIONS; index++) {
      const asked = question(dice, paths, known);
      const { method, target, headers, token, user, mcp } = asked;
      const url = `http://127.0.0.1:${running.port}${target}`;
      const posted = await fetch(`${running.adminUrl}/api/explain`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ method, url, headers, token, user, mcp }),
      });
      const { explanation } = (await posted.json()) as { explanation: Explanation };
      const place = { host: `127.0.0.1:${running.port}`, secure: false };
      const explained = await explainVerified(loaded, {
        method,
        target,
        ...place,
        headers,
        token,
        user,
        operation: mcp,
      });
      const live = await answerTo(running.port, asked, upstream.seen.length, () => upstream.seen.length);
      const verdicts = [verdictOf(explanation), verdictOf(explained), live];
      seen.set(live, (seen.get(live) ?? 0) + 1);
      for (const kind of ['user', 'mcp'] as const)
        if (asked[kind] !== undefined) answers.set(kind, (answers.get(kind) ?? new Set()).add(live));
      if (new Set(verdicts).size > 1) different.push(`${JSON.stringify(asked)}: ${verdicts.join(' / ')}`);
    }
    t.comment(JSON.stringify(Object.fromEntries(seen)));
    t.strictSame(different, []);
    t.ok(seen.size > 12, 'the questions have many answers');
    for (const kind of ['user', 'mcp'])
      t.ok((answers.get(kind)?.size ?? 0) > 3, `${kind}: ${[...(answers.get(kind) ?? [])]}`);
  },
);

async function answerTo(
  port: number,
  { method, target, headers, token, user, mcp }: Question,
  before: number,
  forwarded: () => number,
): Promise<string> {
  const message = mcp === undefined ? {} : messageOf(mcp);
  const lines = [...headers, ...(message.headers ?? [])];
  if (token !== undefined) lines.push(bearer(token));
  if (user !== undefined) lines.push(['Authorization', formatBasic(user, passwords[user] ?? '')]);
  const bytes = requestText({
    method,
    target,
    host: `127.0.0.1:${port}`,
    ...message,
    headers: [...lines, ['Connection', 'close']],
  });
  const response = await ask(port, bytes, { method });
  if (forwarded() > before) return 'forward';
  if (response.status < 300) return 'reply';
  return (JSON.parse(response.body.toString()) as { code: string }).code;
}
