import t, { type Test } from 'tap';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';
import { account } from '../support/digest-upstream.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { answerOf, http2Client, http2Listen } from '../support/http2-client.ts';
import { ownMemory } from '../support/memory.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const [NAME, REALM, PASSWORD] = ['alice', 'meters', 'wonderland'];
const OTHER = '127.0.0.2';
const MiB = 1024 * 1024;
const ANNOUNCED = 64;

async function scene(t: Test, more: object = {}): Promise<TestGateway> {
  const users = userFile(t, digestLines(NAME, REALM, PASSWORD));
  const digest = {
    realm: REALM,
    users,
    algorithms: ['SHA-256'],
    qop: ['auth', 'auth-int'],
    auth_int: { max_body: '1MiB' },
  };
  const routes = [
    { id: 'm', match: { path: '/m/{rest*}' }, auth: 'digest', digest, access: 'authenticated' },
    { id: 'form', match: { path: '/form' }, access: 'authenticated', bearer_methods_supported: ['body'] },
    { id: 'legacy', match: { path: '/legacy/{rest*}' }, access: 'public', upstream: 'legacy' },
  ];
  const url = await echoUpstream(t);
  const upstreams = { api: { url }, legacy: { url, credentials: { digest: account } } };
  return gateway(t, behind('', { upstreams, routes, admin: '127.0.0.1:0', ...more }));
}

async function nonceOf({ url }: TestGateway): Promise<string> {
  const response = await fetch(`${url}/m/1`);
  await response.arrayBuffer();
  return /nonce="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

interface Said {
  readonly nonce: string;
  readonly realm?: string;
  readonly uri?: string;
  readonly count?: number;
}

/** Credentials of a POST to /m/1 with this body; without a body, credentials that are right except for the password. */
function credentials({ nonce, realm = REALM, uri = '/m/1', count = 1 }: Said, body?: string): string {
  const protection = { qop: 'auth-int', nc: count.toString(16).padStart(8, '0') } as const;
  const said = { nonce, uri, cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const ha1 = storedHash('SHA-256', NAME, realm, PASSWORD);
  const entity = Buffer.from(body ?? 'another');
  const response = digestResponse({ ...said, ha1, method: 'POST', entity });
  return formatDigest({ ...said, username: NAME, userhash: false, realm, response, opaque: undefined });
}

const head = (authorization: string, length: number) =>
  `POST /m/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n`;

async function heldBy({ adminUrl }: TestGateway): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^gatehouse_held_body_bytes (\d+)$/m.exec(text)?.[1]);
}

/** So many clients that each announce a body, and send so much of it. */
async function announced(t: Test, it: TestGateway, length: number, bytes: number): Promise<readonly RawClient[]> {
  const nonce = await nonceOf(it);
  const clients = await Promise.all(Array.from({ length: ANNOUNCED }, () => open(t, it.port)));
  for (const [index, client] of clients.entries())
    client.send(head(credentials({ nonce, count: index + 1 }), length) + 'x'.repeat(bytes));
  return clients;
}

/** A form with its token, and a body under auth-int, from this address. */
async function statusesFrom(t: Test, it: TestGateway, from: string): Promise<readonly (number | undefined)[]> {
  const form = `access_token=${await jwt({}, { alg: 'HS256' })}`;
  const type = 'Content-Type: application/x-www-form-urlencoded';
  const body = 'reading=7';
  const requests = [
    `POST /form HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
    head(credentials({ nonce: await nonceOf(it) }, body), body.length) + body,
  ];
  return Promise.all(
    requests.map(async (request) => {
      const client = await open(t, it.port, from);
      client.send(request);
      return (await client.read({ method: 'POST' }))?.status;
    }),
  );
}

t.test(`${ANNOUNCED} announced bodies use no memory, and bodies of others are buffered`, async (t) => {
  const it = await scene(t);
  const clients = await announced(t, it, MiB, 0);
  t.strictSame(await statusesFrom(t, it, OTHER), [200, 200]);
  t.strictSame(await statusesFrom(t, it, '127.0.0.1'), [200, 200]);
  t.equal(await heldBy(it), 0);
  t.ok(clients.every(({ closed }) => !closed));
});

t.test('a body uses memory for its arrived bytes, and frees it with its answer', async (t) => {
  const it = await scene(t);
  const clients = await announced(t, it, MiB, 1000);
  t.ok(await until(async () => (await heldBy(it)) === ANNOUNCED * 1000));
  t.strictSame(await statusesFrom(t, it, OTHER), [200, 200]);
  t.equal(await heldBy(it), ANNOUNCED * 1000);
  for (const client of clients) client.destroy();
  t.ok(await until(async () => (await heldBy(it)) === 0));
});

t.test('the bodies of one address use at most its share of the memory, and others are buffered', async (t) => {
  const it = await scene(t);
  const clients = await announced(t, it, MiB, MiB - 1);
  const isRefused = ({ unread }: RawClient) => unread.length > 0;
  const refused = () => clients.filter(isRefused).length;
  const most = await heldWhen(it, () => refused() >= ANNOUNCED / 2);
  t.ok(most <= 32 * MiB, `${most} bytes`);
  const isSettled = async () => (await heldBy(it)) === (ANNOUNCED - refused()) * (MiB - 1);
  t.ok(await until(isSettled, 60_000), 'what is held is those that are not refused, whole');
  t.strictSame(await statusesFrom(t, it, OTHER), [200, 200]);
  for (const client of clients.filter(isRefused)) t.equal((await client.read({ method: 'POST' }))?.status, 503);
  t.match(
    it.log.find(({ of }) => of === 'limits'),
    { address: '127.0.0.1', proxy: false },
  );
});

async function heldWhen(it: TestGateway, isSo: () => boolean): Promise<number> {
  let most = 0;
  await until(async () => {
    most = Math.max(most, await heldBy(it));
    return isSo();
  }, 60_000);
  return most;
}

const CHUNKS = 65_500;
const UPLOADERS = 5;

interface Upload {
  readonly what: string;
  readonly path: string;
  readonly fields: (nonce: string, count: number) => readonly string[];
}

const oneByOne: readonly Upload[] = [
  { what: 'a form', path: '/form', fields: () => ['Content-Type: application/x-www-form-urlencoded'] },
  {
    what: 'a body under auth-int',
    path: '/m/1',
    fields: (nonce, count) => [`Authorization: ${credentials({ nonce, count })}`],
  },
  { what: 'an upload to an API that wants Digest', path: '/legacy/a', fields: () => [] },
];

for (const { what, path, fields } of oneByOne) {
  t.test(`${what} of ${CHUNKS} chunks of one byte uses little more memory than its bytes`, async (t) => {
    const it = await scene(t);
    const nonce = await nonceOf(it);
    const clients = await Promise.all(Array.from({ length: UPLOADERS }, () => open(t, it.port)));
    const { heapUsed: before } = await ownMemory();
    const body = '1\r\nx\r\n'.repeat(CHUNKS);
    for (const [index, client] of clients.entries()) {
      const lines = [`POST ${path} HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked', ...fields(nonce, index + 1)];
      client.send(`${lines.join('\r\n')}\r\n\r\n${body}`);
    }
    t.ok(await until(async () => (await heldBy(it)) === UPLOADERS * CHUNKS, 60_000), 'exactly so much is held');
    const each = ((await ownMemory()).heapUsed - before) / (UPLOADERS * CHUNKS);
    t.ok(each < 20, `${each} bytes of heap for each chunk`);
  });
}

const shadow = {
  mode: 'shadow',
  routes: [
    {
      id: 'form',
      match: { path: '/form' },
      access: 'authenticated',
      bearer_methods_supported: ['body'],
      limits: { form_body: '1MiB' },
    },
  ],
};
const formHead = `POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${MiB}\r\n\r\n`;
const LAST = '!';
const letter = (index: number) => String.fromCharCode(97 + index);

t.test('in shadow mode too, a body uses memory for its arrived bytes', async (t) => {
  const it = await scene(t, shadow);
  const clients = await Promise.all(Array.from({ length: ANNOUNCED }, () => open(t, it.port)));
  for (const client of clients) client.send(formHead + 'x'.repeat(1000));
  t.ok(await until(async () => (await heldBy(it)) === ANNOUNCED * 1000));
  for (const client of clients) client.destroy();
  t.ok(await until(async () => (await heldBy(it)) === 0));
});

/** A form of 1 MiB: its sender, and its final answer. */
interface Form {
  send(text: string): void;
  answer(): Promise<{ readonly status: number | undefined; readonly body: Buffer } | undefined>;
}

async function plainForm(t: Test, { port }: TestGateway): Promise<Form> {
  const client = await open(t, port);
  client.send(formHead);
  return { send: (text) => client.send(text), answer: () => client.read({ method: 'POST' }) };
}

async function streamForm(t: Test, { port }: TestGateway): Promise<Form> {
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(MiB) };
  const session = await http2Client(t, port);
  const stream = session.request({ ':method': 'POST', ':path': '/form', ':authority': 'a', ...type });
  const answer = answerOf(stream, 60_000);
  return { send: (text) => void (text === LAST ? stream.end(text) : stream.write(text)), answer: () => answer };
}

for (const [over, openForm, more] of [
  ['HTTP/1.1', plainForm, {}],
  ['HTTP/2', streamForm, http2Listen()],
] as const) {
  t.test(`in shadow mode, over ${over}, a body without memory for it is forwarded from its first byte`, async (t) => {
    const it = await scene(t, { ...shadow, ...more });
    const forms = await Promise.all(Array.from({ length: 20 }, () => openForm(t, it)));
    for (const [index, form] of forms.entries()) form.send(letter(index).repeat(1000));
    t.ok(await until(async () => (await heldBy(it)) === 20 * 1000), 'all of them are begun');
    for (const [index, form] of forms.entries()) form.send(letter(index).repeat(MiB - 1001));
    const whole = async () => (await heldBy(it)) / (MiB - 1);
    t.ok(await until(async () => Number.isInteger(await whole()) && (await whole()) >= 8), 'some are held');
    t.ok((await whole()) <= 16, 'and not all');
    for (const form of forms) form.send(LAST);
    for (const [index, form] of forms.entries()) {
      const answer = await form.answer();
      t.equal(answer?.status, 200);
      t.ok(String(answer?.body).includes(`"${letter(index).repeat(MiB - 1)}${LAST}"`), `${index} arrives whole`);
    }
  });
}

t.test('with `limits.share: 1` one address may use all of the memory', async (t) => {
  const it = await scene(t, { limits: { share: 1 } });
  await announced(t, it, MiB, MiB - 1);
  t.ok(await until(async () => (await heldBy(it)) === ANNOUNCED * (MiB - 1), 60_000));
});

t.test('a wrong nonce, realm or uri is refused before a byte of the body arrives', async (t) => {
  const it = await scene(t);
  const nonce = await nonceOf(it);
  for (const [said, status, code] of [
    [{ nonce: 'AAAA' }, 401, 'nonce_invalid'],
    [{ nonce, realm: 'other' }, 401, 'digest_mismatch'],
    [{ nonce, uri: '/m/2' }, 400, 'digest_uri'],
  ] as const) {
    const client = await open(t, it.port);
    client.send(head(credentials(said), 1000));
    const answer = await client.read({ method: 'POST' });
    t.equal(answer?.status, status);
    t.equal(JSON.parse(String(answer?.body)).code, code);
  }
  const body = 'reading=7';
  const client = await open(t, it.port);
  client.send(head(credentials({ nonce }, body), body.length) + body);
  t.equal((await client.read({ method: 'POST' }))?.status, 200, 'the count is as good as before');
});
