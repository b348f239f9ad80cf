import t, { type Test } from 'tap';
import type { TestGateway } from '../support/gateway.ts';
import { answerOf, http2Client, http2Listen } from '../support/http2-client.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { credentials, head, heldBy, nonceOf, scene } from './held-bodies.ts';

const OTHER = '127.0.0.2';
const MiB = 1024 * 1024;
const ANNOUNCED = 64;

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
