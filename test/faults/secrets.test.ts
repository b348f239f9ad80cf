import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { storedHash } from '../../src/http-auth/digest-response.ts';
import { answered, decide, logIn, openTab } from '../authorization/browser/walk.ts';
import { basic, passwordHash } from '../authorization/running-service.ts';
import { command } from '../support/command.ts';
import { credentialsFor, inTurn, nonceOf } from '../support/digest-caller.ts';
import { childrenOf } from '../support/group.ts';
import { exchange } from '../support/raw-client.ts';
import { type RequestText, requestText } from '../support/request-text.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { Canaries, canary } from './support/canaries.ts';
import { type Program, program } from './support/program.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 2;

t.test('a piece of twelve characters is found, in every form', async (t) => {
  const secret = canary();
  const canaries = new Canaries();
  canaries.add('it', secret);
  const bytes = Buffer.from(`user:${secret}`);
  const texts = [secret, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  const percent = [...bytes].map((byte) => `%${byte.toString(16)}`).join('');
  for (const text of [...texts, percent, `x${secret.slice(14, 26)}x`, JSON.stringify({ a: [secret] })])
    t.equal(canaries.leaksIn(text).length, 1, text.slice(0, 20));
  // A character that no secret has, because a letter could be the twelfth of the secret itself.
  t.strictSame(canaries.leaksIn(`${secret.slice(0, 11)}.${canary()}`), []);
});

/** The secrets that an operator gives to both programs. */
function operatorSecrets() {
  const key = () => randomBytes(32).toString('base64');
  return {
    SHOP_SECRET: canary('cs_'),
    WEB_SECRET: canary('cs_'),
    GATEWAY_SECRET: canary('cs_'),
    ALICE_PASSWORD: canary(),
    BASIC_PASSWORD: canary(),
    DIGEST_PASSWORD: canary(),
    UPSTREAM_PASSWORD: canary(),
    UPSTREAM_HEADER: canary(),
    REDIS_PASSWORD: canary(),
    DATABASE_PASSWORD: canary(),
    HMAC_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: key(),
    TICKET_KEY: key(),
    NONCE_KEY: key(),
  };
}

type Secrets = ReturnType<typeof operatorSecrets>;

const digestHash = ({ DIGEST_PASSWORD }: Secrets) => storedHash('SHA-256', 'alice', 'r', DIGEST_PASSWORD);

function known(secrets: Secrets): Canaries {
  const canaries = new Canaries();
  for (const [name, secret] of Object.entries(secrets)) canaries.add(name, secret);
  canaries.add('HA1', digestHash(secrets));
  canaries.add('password hash', passwordHash(secrets.ALICE_PASSWORD).split('$').at(-1) ?? '');
  return canaries;
}

interface Log {
  readonly level: string;
  readonly format: string;
}

const serviceFile = (
  port: number,
  { level, format }: Log,
  alice: string,
  more = '',
) => `issuer: http://127.0.0.1:${port}
storage: sqlite:gatehouse.db
encryption_keys: ['\${ENCRYPTION_KEY}']
log: { level: ${level}, format: ${format} }
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
login: { max_failures: 4, window: 10m }
clients:
  - { client_id: shop, client_secret: '\${SHOP_SECRET}', scope: orders.read, grant_types: [client_credentials] }
  - { client_id: shop-jwt, client_secret: '\${SHOP_SECRET}', scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }
  - { client_id: web, client_secret: '\${WEB_SECRET}', scope: orders.read, grant_types: [authorization_code, refresh_token], redirect_uris: ['https://shop.example.com/callback'] }
  - { client_id: gateway, client_secret: '\${GATEWAY_SECRET}', grant_types: [], introspect: true, events: true }
users:
  - { username: alice, password_argon2: '${passwordHash(alice)}' }
${more}`;

interface Places {
  readonly issuer: string;
  readonly upstream: string;
  readonly basicUsers: string;
  readonly digestUsers: string;
}

const methods = 'bearer_methods_supported: [header, body, query]';
const gatewayFile = ({ level, format }: Log, places: Places, more = '') => `log: { level: ${level}, format: ${format} }
upstreams:
  api: { url: '${places.upstream}', credentials: { basic: { username: u, password: '\${UPSTREAM_PASSWORD}' } } }
  old: { url: '${places.upstream}', credentials: { header: { name: X-Api-Key, value: '\${UPSTREAM_HEADER}' } } }
defaults: { upstream: api }
authorization_servers:
  main: { issuer: '${places.issuer}', audience: https://api.example.com, client_id: gateway, client_secret: '\${GATEWAY_SECRET}' }
  own: { issuer: https://own.example, audience: https://api.example.com, secret: '\${HMAC_SECRET}', algorithms: [HS256] }
ticket_keys: ['\${TICKET_KEY}']
nonce_keys: ['\${NONCE_KEY}']
development: true
routes:
  - { id: public, match: { path: '/public/{x*}' }, access: public, upstream: old }
  - { id: orders, match: { path: '/orders/{x*}' }, scope: orders.read, ${methods} }
  - { id: admin, match: { path: '/admin/{x*}' }, scope: admin, ${methods} }
  - { id: shadow, match: { path: '/shadow/{x*}' }, scope: admin, mode: shadow, ${methods} }
  - { id: basic, match: { path: /basic }, auth: basic, basic: { realm: r, users: '${places.basicUsers}' }, access: authenticated }
  - { id: digest, match: { path: /digest }, auth: digest, digest: { realm: r, users: '${places.digestUsers}' }, access: authenticated }
${more}`;

const spans = fileURLToPath(new URL('support/spans-program.ts', import.meta.url));

interface Scene {
  readonly secrets: Secrets;
  readonly canaries: Canaries;
  readonly service: Program;
  readonly gateway: Program;
  /** Answers to callers without a right to the contents, and scrapes. */
  readonly heard: string[];
}

/** Rejects with nothing: a missing answer reveals nothing. */
async function hear(heard: string[], url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', ...init }).catch(() => undefined);
  const text = (await response?.text().catch(() => '')) ?? '';
  heard.push(`${response?.status} ${JSON.stringify([...(response?.headers ?? [])])} ${text}`);
  return text;
}

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

/** Login, consent, code, tokens, refresh, revocation, and every kind of failure of each. */
async function issue({ service, secrets, canaries, heard }: Scene): Promise<string[]> {
  const { url } = service;
  const token = async (fields: Record<string, string>, client: { id: string; secret: string }) => {
    const response = await fetch(`${url}/oauth2/token`, { ...form(fields), headers: basic(client) });
    const text = await response.text();
    if (response.status !== 200) heard.push(text);
    return JSON.parse(text) as { access_token: string; refresh_token: string };
  };
  const shop = { id: 'shop', secret: secrets.SHOP_SECRET };
  const web = { id: 'web', secret: secrets.WEB_SECRET };
  const gateway = { id: 'gateway', secret: secrets.GATEWAY_SECRET };
  const grant = { grant_type: 'client_credentials' };
  const [opaque, jwt] = [await token(grant, shop), await token(grant, { ...shop, id: 'shop-jwt' })];
  canaries.add('opaque token', opaque.access_token);
  canaries.add('JWT', ...jwt.access_token.split('.').slice(1));
  const verifier = canary();
  canaries.add('PKCE verifier', verifier);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const callback = 'https://shop.example.com/callback';
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: callback,
    scope: 'orders.read',
    state: 'xyz',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const tab = openTab({ url });
  const login = await tab.get(`/oauth2/authorize?${asked}`);
  canaries.add('transaction', login.field('transaction'));
  const mistyped = canary();
  canaries.add('mistyped password', mistyped);
  heard.push((await logIn(tab, login, 'alice', mistyped)).body.replace(/name="transaction" value="[^"]*"/, ''));
  const entered = await logIn(tab, login, 'alice', secrets.ALICE_PASSWORD);
  const consent = entered.location === undefined ? entered : await tab.get(String(entered.location));
  canaries.add('consent', consent.field('transaction'));
  const { code = '' } = answered(await decide(tab, consent, ['orders.read']));
  canaries.add('code', code);
  canaries.add('session cookies', ...[...tab.cookies.values()].filter((value) => value.length >= 12));
  const redeemed = { grant_type: 'authorization_code', code, redirect_uri: callback };
  heard.push(JSON.stringify(await token({ ...redeemed, code_verifier: canary() }, web)));
  const second = await tab.get(`/oauth2/authorize?${asked}`);
  const pressed = second.field('transaction') === '' ? second : await decide(tab, second, ['orders.read']);
  const next = answered(pressed).code ?? '';
  canaries.add('second code', next);
  const first = await token({ ...redeemed, code: next, code_verifier: verifier }, web);
  canaries.add('tokens of a grant', first.access_token, first.refresh_token);
  const renewed = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token }, web);
  canaries.add('rotated tokens', renewed.access_token, renewed.refresh_token);
  const everywhere = [opaque, jwt, first, renewed].map(({ access_token }) => access_token);
  for (const value of everywhere) {
    const response = await fetch(`${url}/oauth2/introspect`, { ...form({ token: value }), headers: basic(gateway) });
    heard.push(await response.text());
  }
  // failures of each kind
  await token({ ...redeemed, code: next, code_verifier: verifier }, web);
  await token({ grant_type: 'refresh_token', refresh_token: `${renewed.refresh_token}x` }, web);
  await token({ grant_type: 'refresh_token', refresh_token: renewed.refresh_token }, shop);
  const wrong = canary('cs_');
  canaries.add('wrong client secret', wrong);
  for (let count = 0; count < 6; count++) await token(grant, { ...shop, secret: wrong });
  for (const value of [opaque.access_token, jwt.access_token, renewed.refresh_token, wrong]) {
    await hear(heard, `${url}/oauth2/token?client_secret=${value}`, form(grant));
    await hear(heard, `${url}/${value}?token=${value}#${value}`);
    await hear(heard, `${url}/oauth2/authorize?client_id=${value}&redirect_uri=https://a.example/${value}`);
    await hear(heard, `${url}/oauth2/token`, form({ ...grant, [value]: value, scope: value }));
    await hear(heard, `${url}/oauth2/token`, {
      method: 'POST',
      body: `{"client_secret":"${value}"`,
      headers: { 'content-type': 'application/json' },
    });
    for (const scheme of ['Bearer', 'Basic', 'Digest', 'DPoP', 'Nonsense', ''])
      await hear(heard, `${url}/oauth2/introspect`, {
        ...form({ token: value }),
        headers: { authorization: `${scheme} ${value}`.trim(), cookie: `a=${value}` },
      });
    for (const bytes of [
      `GARBAGE ${value}\r\nAuthorization: ${value}\r\n\r\n`,
      `GET /%zz?${value} HTTP/1.1\r\nHost: a b\r\n\r\n`,
      `POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Length: ${value}\r\n\r\n`,
    ])
      heard.push(String((await exchange(service.port, bytes).catch(() => undefined))?.body ?? ''));
  }
  await hear(heard, `${url}/oauth2/revoke`, { ...form({ token: renewed.refresh_token }), headers: basic(web) });
  return everywhere;
}

function requestsWith(secret: string): RequestText[] {
  const type = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const targets = ['/orders/1', '/admin/1', '/shadow/1', '/public/1', '/nowhere', '/orders/%00', '/basic', '/digest'];
  const schemes = ['Bearer', 'Basic', 'Digest', 'DPoP', 'Nonsense'];
  return targets.flatMap((target): RequestText[] => [
    ...schemes.map((scheme) => ({
      target,
      headers: [
        ['Authorization', `${scheme} ${secret}`],
        ['Cookie', `s=${secret}`],
      ] as const,
    })),
    { target: `${target}?access_token=${secret}&code=${secret}` },
    { method: 'POST', target, headers: [type], body: `access_token=${secret}` },
    {
      target,
      headers: [
        ['Authorization', `Bearer ${secret}`],
        ['Authorization', `Bearer ${secret}`],
      ],
    },
    { target, headers: [['Authorization', `Basic ${Buffer.from(`alice:${secret}`).toString('base64')}`]] },
    {
      target,
      headers: [
        [
          'Authorization',
          `Digest username="alice", realm="r", nonce="${secret}", uri="${target}", response="${secret}"`,
        ],
      ],
    },
    { target, headers: [['Transfer-Encoding', secret]] },
    { target, version: `HTTP/${secret}` },
    { target: `http://u:${secret}@h.example${target}`, headers: [['X-Request-Id', 'x']] },
  ]);
}

/** Every way in which each secret reaches the gateway, and what the gateway says elsewhere about it. */
async function ask({ gateway, secrets, canaries, heard }: Scene, tokens: readonly string[]): Promise<void> {
  const told: string[] = [];
  const watching = new AbortController();
  const watched = fetch(`${gateway.adminUrl}/decisions`, {
    headers: { accept: 'text/event-stream' },
    signal: watching.signal,
  })
    .then(async (response) => {
      for await (const chunk of response.body ?? []) told.push(Buffer.from(chunk).toString());
    })
    .catch(() => {});
  const typed = canary();
  canaries.add('typed into the gateway', typed);
  for (const secret of [...tokens, typed])
    for (const request of requestsWith(secret)) {
      const answer = await exchange(gateway.port, requestText(request), { method: request.method ?? 'GET' });
      if (answer !== undefined) heard.push(`${JSON.stringify(answer.headers)} ${answer.body}`);
    }
  const { url } = gateway;
  for (const password of [secrets.BASIC_PASSWORD, typed])
    await hear(heard, `${url}/basic`, { headers: basic({ id: 'alice', secret: password }) });
  for (const password of [secrets.DIGEST_PASSWORD, typed]) {
    const authorization = credentialsFor('/digest', await nonceOf(`${url}/digest`), 1, password);
    canaries.add('Digest response', /response="([^"]+)"/.exec(authorization)?.[1] ?? '');
    for (let count = 0; count < 2; count++) await hear(heard, `${url}/digest`, { headers: { authorization } });
  }
  const ticket = /"ticket":"([^"]+)"/.exec(heard.join('\n'))?.[1] ?? 'none';
  for (const path of ['/metrics', '/routes', `/why/${ticket}`, `/why/${typed}`, '/readyz', '/livez', `/${typed}`])
    await hear(heard, gateway.adminUrl + path);
  await hear(heard, `${gateway.adminUrl}/reload`, { method: 'POST' });
  await pause(200);
  watching.abort();
  await watched;
  heard.push(told.join(''));
}

const cmdline = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1') + readFileSync(`/proc/${pid}/comm`);

interface Out {
  /** Port 1: nothing listens there. */
  readonly upstream?: string;
  readonly gatewayMore?: string;
  readonly serviceStops?: boolean;
  readonly workers?: number;
}

async function scene(t: Test, log: Log, { upstream, gatewayMore = '' }: Out): Promise<Scene> {
  const secrets = operatorSecrets();
  const env = { ...secrets, NODE_OPTIONS: `--import=${spans}` };
  const service = await program(
    t,
    'authorization',
    ({ port }) =>
      serviceFile(port, log, secrets.ALICE_PASSWORD, `counters: 'redis://:\${REDIS_PASSWORD}@127.0.0.1:1'\n`),
    { env },
  );
  const places = {
    issuer: service.url,
    upstream: upstream ?? (await witness(t)).url,
    basicUsers: userFile(t, `alice:${passwordHash(secrets.BASIC_PASSWORD)}\n`),
    digestUsers: userFile(t, `alice:r:SHA-256:${digestHash(secrets)}\n`),
  };
  const gateway = await program(t, 'gateway', () => gatewayFile(log, places, gatewayMore), { env });
  return { secrets, canaries: known(secrets), service, gateway, heard: [] };
}

const outages = {
  'all is well': {},
  'everything is out': {
    upstream: 'http://127.0.0.1:1',
    gatewayMore: `counters: 'redis://:\${REDIS_PASSWORD}@127.0.0.1:1'\n`,
    serviceStops: true,
  },
  'two workers': { gatewayMore: 'workers: 2\n' },
} satisfies Readonly<Record<string, Out>>;

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const json = (level: string): Log => ({ level, format: 'json' });
const pretty: Log = { level: 'trace', format: 'pretty' };

interface Row {
  readonly name: keyof typeof outages;
  readonly log: Log;
}

const quick: readonly Row[] = [
  { name: 'all is well', log: json('trace') },
  { name: 'everything is out', log: pretty },
  { name: 'two workers', log: json('debug') },
];
const every = [pretty, ...levels.map(json)].map((log): Row => ({ name: 'all is well', log }));
const rest = (['everything is out', 'two workers'] as const).flatMap((name) =>
  [pretty, json('trace')].map((log): Row => ({ name, log })),
);
const rows = sized(quick, [...every, ...rest], [...every, ...rest]);
/** Tokens that are each sent to the gateway in every way. */
const BROUGHT = sized(1, 4, 4);

/** The commands that read a file, with their output. */
async function commands(t: Test, { service, gateway, secrets, heard }: Scene, token: string): Promise<void> {
  const directory = temporaryFolder(t);
  const [tokenFile, logFile] = [join(directory, 'token'), join(directory, 'log')];
  writeFileSync(tokenFile, token, { mode: 0o600 });
  writeFileSync(
    logFile,
    gateway
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n'),
  );
  const ticket = /"ticket":"([^"]+)"/.exec(heard.join('\n'))?.[1] ?? 'none';
  const file = ['--config', gateway.file];
  const lines: readonly (readonly string[])[] = [
    ['check', gateway.file, service.file],
    ['check', '--json', gateway.file, service.file],
    ['config', 'show', ...file],
    ['config', 'show', '--json', ...file],
    ['doctor', ...file],
    ['doctor', '--json', ...file],
    ['doctor', '--config', service.file],
    ['doctor', '--json', '--config', service.file],
    ['routes', ...file],
    ['routes', '--json', ...file],
    ['explain', 'GET', '/orders/1', '--token-file', tokenFile, ...file],
    ['explain', 'GET', '/orders/1', '--token-file', tokenFile, '--json', ...file],
    ['explain', 'GET', '/admin/1', '-H', `Authorization: Bearer ${token}`, ...file],
    ['explain', 'GET', '/basic', '--user', 'alice', ...file],
    ['why', ticket, ...file],
    ['why', ticket, '--json', ...file],
    ['shadow', 'report', logFile],
    ['shadow', 'report', '--json', logFile],
    ['diff', gateway.file, gateway.file, '--replay', logFile],
  ];
  const ended = await inTurn(lines, (line) => command(t, line, { env: { ...secrets } }).ended(), 3);
  for (const [index, { stdout, stderr }] of ended.entries()) {
    heard.push(stdout + stderr);
    t.match(stdout + stderr, /\S/, `${lines[index]?.slice(0, 2).join(' ')} prints something`);
  }
}

for (const { name, log } of rows) {
  const out: Out = outages[name];
  const isWhole = log.level === 'trace' && log.format === 'json';
  t.test(`${name}, ${log.level} as ${log.format}: no output contains a piece of a secret`, async (t) => {
    const stage = await scene(t, log, out);
    const { service, gateway, canaries, heard } = stage;
    const tokens = await issue(stage);
    if (out.serviceStops) {
      service.child.kill('SIGTERM');
      await service.ended;
    }
    await ask(stage, tokens.slice(0, BROUGHT));
    heard.push(...[gateway.pid, ...childrenOf(gateway.pid)].map(cmdline));
    if (!out.serviceStops) {
      heard.push(cmdline(service.pid));
      for (const path of ['/metrics', '/readyz']) await hear(heard, service.adminUrl + path);
    }
    if (isWhole && name === 'all is well') await commands(t, stage, tokens[0] ?? '');
    for (const { child, ended } of [gateway, service]) {
      child.kill('SIGTERM');
      await ended;
    }
    const printed = { gateway: gateway.output(), service: service.output(), others: heard.join('\n') };
    if (isWhole) {
      t.ok(printed.gateway.length > 50_000, `${printed.gateway.length} characters of the gateway's`);
      t.match(printed.gateway, /^span \{/m, 'spans are among them');
      t.match(printed.service, /client_refused/);
    }
    t.ok(canaries.size >= 25, `${canaries.size} kinds of secrets`);
    for (const [whose, text] of Object.entries(printed)) t.strictSame(canaries.leaksIn(text), [], whose);
    t.comment(`${canaries.size} kinds in ${Object.values(printed).join('').length} characters`);
  });
}
