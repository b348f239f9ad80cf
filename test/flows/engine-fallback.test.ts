import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { sample } from '../support/metric-sample.ts';
import { ask, open } from '../support/raw-client.ts';
import { answerText, type RawUpstream, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { settableClock } from '../support/settable-clock.ts';
import { until } from '../support/until.ts';
import { handshake } from '../support/websocket-handshake.ts';

// The gateway uses its own engine for an upstream, and for a while undici if the engine cannot read its answers.

const TEN_MINUTES = 600_000;

const OK = answerText('ok');
/** What undici reads and our own engine does not. */
const FOREIGN = `\r\n${OK}`;

const get = requestText({ target: '/public/a' });
const post = requestText({ method: 'POST', target: '/public/a', body: 'a=b' });

/** A gateway before these upstreams, with a file without `engine`. */
async function before(t: Test, scripts: readonly Script[], more: object = {}, changes: object = {}) {
  const clock = settableClock();
  const upstreams = await Promise.all(scripts.map((script) => rawUpstream(t, script)));
  const api = { urls: upstreams.map(({ url }) => url), engine: 'own', ...more };
  const body = behind('', { admin: '127.0.0.1:0', upstreams: { api }, ...changes });
  const running = await gateway(t, body, clock);
  const told = () =>
    running.log.flatMap(({ msg, ...rest }) =>
      / uses (?:undici|`engine: own`) for an upstream URL/.test(String(msg)) ? [{ msg, ...rest }] : [],
    );
  const isOn = (place = 0) => {
    const url = new URL(upstreams[place]?.url ?? '').host;
    return sample(running.adminUrl as string, 'gatehouse_upstream_engine_fallback', { url });
  };
  return { ...running, clock, upstreams, told, isOn };
}

const status = async (port: number, request = get) => (await ask(port, request)).status;

function heads(upstreams: readonly RawUpstream[]): number {
  return upstreams.flatMap(({ connections }) => connections).reduce((sum, { heads }) => sum + heads, 0);
}

const foreign: Script = ({ socket }) => socket.write(FOREIGN);

t.test('after two unreadable answers the gateway uses undici for ten minutes, and logs it once', async (t) => {
  const { port, clock, upstreams, told, isOn } = await before(t, [foreign]);
  t.equal(await status(port, post), 502);
  t.equal(await isOn(), 0);
  t.strictSame(told(), []);
  t.equal(await status(port, post), 502);
  t.equal(await isOn(), 1);
  t.equal(heads(upstreams), 2, 'neither was sent again');
  for (let i = 0; i < 5; i++) t.equal(await status(port, post), 200);
  t.equal(heads(upstreams), 7);
  t.match(told(), [
    {
      level: 40,
      upstream: 'api',
      url: new URL(upstreams[0]?.url ?? '').host,
      detail: 'the answer begins with "\\r\\nHTTP/1.1 "',
    },
  ]);
  clock.advance(TEN_MINUTES);
  t.equal(await isOn(), 0);
  t.equal(await status(port, post), 502, 'our own is tried again');
  t.match(told(), [{ level: 40 }, { level: 30 }]);
});

t.test('a repeatable request is sent again over undici, so no client notices the change', async (t) => {
  const { port, upstreams, isOn } = await before(t, [foreign]);
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'GET'])
    t.equal((await ask(port, requestText({ method, target: '/public/a' }), { method })).status, 200, method);
  t.equal(await isOn(), 1);
  t.equal(heads(upstreams), 8, 'the first two were sent twice');
});

t.test('after a single unreadable answer the request is sent again, and other requests do not change', async (t) => {
  let asked = 0;
  const { port, upstreams, isOn, told } = await before(t, [({ socket }) => socket.write(asked++ === 0 ? FOREIGN : OK)]);
  t.equal(await status(port), 200);
  t.equal(await isOn(), 0);
  for (let i = 0; i < 3; i++) t.equal(await status(port), 200);
  t.strictSame(told(), []);
  t.equal(heads(upstreams), 5);
});

t.test('with `retries: 0` nothing is sent again, and undici is still used afterwards', async (t) => {
  const { port, upstreams, isOn } = await before(t, [foreign], { retries: 0 });
  t.strictSame([await status(port), await status(port), await status(port)], [502, 502, 200]);
  t.equal(await isOn(), 1);
  t.equal(heads(upstreams), 3);
});

t.test('a POST, a body and a handshake are not sent again', async (t) => {
  const { port, upstreams } = await before(
    t,
    [foreign],
    {},
    { routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'public' }] },
  );
  const client = await open(t, port);
  client.send(requestText({ target: '/', headers: handshake }));
  t.equal((await client.read())?.status, 502);
  t.equal(await status(port, requestText({ method: 'PUT', target: '/', body: 'a=b' })), 502);
  t.equal(heads(upstreams), 2);
});

t.test(
  '`OPTIONS *`, which undici does not send, is 502 if its answer is unreadable, and stays with `own`',
  async (t) => {
    const changes = { mode: 'shadow', routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'public' }] };
    const { port, log, isOn, upstreams } = await before(t, [foreign], {}, changes);
    const asterisk = requestText({ method: 'OPTIONS', target: '*' });
    for (let i = 0; i < 3; i++) t.equal(await status(port, asterisk), 502);
    t.equal(await isOn(), 1);
    t.equal(heads(upstreams), 3);
    t.strictSame(
      log.filter(({ level }) => Number(level) >= 50),
      [],
    );
  },
);

t.test('late bytes after a body, before the next answer of its connection, never lead to undici', async (t) => {
  const late: Script = ({ socket, heads }) => socket.write(heads % 2 === 1 ? OK : FOREIGN);
  const { port, upstreams, isOn, told } = await before(t, [late]);
  for (let i = 0; i < 4; i++) t.strictSame([await status(port), await status(port)], [200, 502]);
  t.equal(heads(upstreams), 8, 'none was sent again');
  t.equal(upstreams[0]?.connections.length, 4);
  t.equal(await isOn(), 0);
  t.strictSame(told(), []);
});

t.test('each URL of an upstream is judged by its own answers', async (t) => {
  const { port, isOn, told, upstreams } = await before(t, [foreign, ({ socket }) => socket.write(OK)]);
  for (let i = 0; i < 8; i++) t.equal(await status(port), 200);
  t.strictSame([await isOn(0), await isOn(1)], [1, 0]);
  t.equal(told().length, 1);
  t.ok(upstreams.every(({ connections }) => connections.length > 0));
});

const framing = {
  'two Content-Length that differ': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
  'Transfer-Encoding with Content-Length':
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'the same behind an empty line':
    '\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'a bare CR': 'HTTP/1.1 200 OK\r\nx: a\rb\r\ncontent-length: 3\r\n\r\nabc',
  'a bare CR behind an empty line': '\r\nHTTP/1.1 200 OK\r\nx: a\rb\r\ncontent-length: 3\r\n\r\nabc',
  'a folded Content-Length': 'HTTP/1.1 200 OK\r\ncontent-length:\r\n 3\r\n\r\nabc',
  'a chunk that is none': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\nabc\r\n0\r\n\r\n',
  'a control character in a field, which a client may have a say in':
    'HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 3\r\n\r\nabc',
};

for (const [name, bytes] of Object.entries(framing))
  t.test(`${name} never leads to undici: refused each time, sent once, its connection closed`, async (t) => {
    for (const pieces of [[bytes], [...bytes]]) {
      const { port, upstreams, isOn, told } = await before(t, [
        ({ socket }) => {
          for (const piece of pieces) socket.write(piece, 'latin1');
        },
      ]);
      for (let i = 0; i < 4; i++) {
        const response = await ask(port, get).catch(() => undefined);
        t.notOk(response?.complete === true && response.status === 200);
      }
      t.equal(heads(upstreams), 4);
      t.equal(upstreams[0]?.connections.length, 4);
      t.ok(await until(() => upstreams[0]?.connections.every(({ ended, closed }) => ended || closed) === true));
      t.equal(await isOn(), 0);
      t.strictSame(told(), []);
    }
  });

t.test('requests in progress during the change to undici get their own answers, or 502', async (t) => {
  const held: (() => void)[] = [];
  const { port, upstreams, isOn } = await before(t, [
    ({ socket, received }) => {
      // With its folder, because a random request id may contain `x7`.
      const path =
        received
          .match(/\/public\/x\d/g)
          ?.at(-1)
          ?.slice(-2) ?? '';
      held.push(() => socket.write(`\r\n${answerText(path)}`));
    },
  ]);
  const asked = Array.from({ length: 6 }, (_, index) => ask(port, requestText({ target: `/public/x${index}` })));
  t.ok(await until(() => held.length === 6));
  const answer = () => {
    for (const each of held.splice(0)) each();
  };
  answer();
  t.ok(await until(() => held.length === 6), 'each is sent again');
  answer();
  const answers = await Promise.all(asked);
  t.strictSame(
    answers.map(({ body }) => body.toString()),
    Array.from({ length: 6 }, (_, index) => `x${index}`),
  );
  t.equal(await isOn(), 1);
  t.equal(heads(upstreams), 12);
});

t.test('the head of a stream is sent even if the ten minutes end between request and answer', async (t) => {
  const held: ((text: string) => void)[] = [];
  let isHeld = false;
  const { port, clock, isOn } = await before(t, [
    ({ socket }) => {
      if (isHeld) held.push((text) => socket.write(text));
      else socket.write(FOREIGN);
    },
  ]);
  for (let i = 0; i < 3; i++) t.equal(await status(port), 200);
  isHeld = true;
  const client = await open(t, port);
  client.send(get);
  t.ok(await until(() => held.length === 1));
  clock.advance(TEN_MINUTES);
  t.equal(await isOn(), 0);
  held[0]?.('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
  await client.arrived(1);
  t.match(client.unread.toString(), /^HTTP\/1\.1 200 OK\r\n/);
  held[0]?.('late');
  t.equal((await client.read())?.body.toString(), 'late');
});

t.test('a health check with an unreadable answer is repeated over undici, and the URL is healthy', async (t) => {
  const health = { path: '/healthz', interval: '100ms', timeout: '10s', unhealthy_after: 1, healthy_after: 1 };
  const { port, log, isOn } = await before(t, [foreign], { health });
  t.ok(await until(async () => (await isOn()) === 1));
  t.equal(await status(port, post), 200);
  t.strictSame(
    log.filter(({ msg }) => String(msg).includes('not well')),
    [],
  );
});

t.test(
  'a probe that is forwarded to an upstream is answered although its answer is unreadable for our engine',
  async (t) => {
    const { healthUrl, upstreams } = await before(
      t,
      [foreign],
      {},
      { health: { listen: '127.0.0.1:0', pass: { '/ready': { upstream: 'api', path: '/ready' } } } },
    );
    for (let i = 0; i < 4; i++) t.equal((await fetch(`${healthUrl}/ready`)).status, 200);
    t.equal(heads(upstreams), 6);
  },
);

t.test('the circuit breaker does not count answers that undici reads', async (t) => {
  const { port } = await before(t, [foreign], { circuit_breaker: { failures: 1, open_for: '60s' } });
  t.strictSame([await status(port, post), await status(port, post), await status(port, post)], [502, 502, 200]);
});

t.test('`engine: undici` reads the same answers from the first one on, and logs no fallback', async (t) => {
  const { port, upstreams, isOn, told } = await before(t, [foreign], { engine: 'undici' });
  for (let i = 0; i < 3; i++) t.equal(await status(port, post), 200);
  t.equal(heads(upstreams), 3);
  t.equal(await isOn(), 0);
  t.strictSame(told(), []);
});
