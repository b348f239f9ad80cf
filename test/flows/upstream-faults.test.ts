import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { isLong } from '../support/long.ts';
import { sendAll } from '../support/many.ts';
import { sample } from '../support/metric-sample.ts';
import { random } from '../support/random.ts';
import { ask, exchange, open } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { answerText, type RawUpstream, rawUpstream, type Script } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';

/** Many more cases with GATEHOUSE_LONG=1: 8 s in .ci/run on a busy machine. */
t.setTimeout(isLong ? 1_800_000 : 600_000);

const target = '/public/a';

/** Of an answer, and then silence. */
const half: Script = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');

async function before(t: Test, script: Script, timeout: object = {}): Promise<TestGateway & { upstream: RawUpstream }> {
  const upstream = await rawUpstream(t, script);
  return {
    ...(await gateway(t, behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout } } }))),
    upstream,
  };
}

/** Our own refusal: problem JSON with a code, and without information about the upstream. */
function assertProblem(t: Test, response: RawResponse | undefined, status: number, code: string, secret: string): void {
  t.equal(response?.status, status);
  t.equal(response?.header('content-type'), 'application/problem+json');
  const body = response?.body.toString() ?? '';
  t.match(JSON.parse(body), { status, code });
  t.notMatch(body, new RegExp(`${secret}|127\\.0\\.0\\.1|ECONN|at .*\\.[jt]s`), 'no address, no stack');
}

t.test('a closed port is 502 immediately', async (t) => {
  const closed = await freePort();
  const { port } = await gateway(t, behind(`http://127.0.0.1:${closed}`));
  await ask(port, requestText({ target }));
  const start = performance.now();
  const response = await ask(port, requestText({ target }));
  t.ok(performance.now() - start < 10_000, 'not at a limit of time');
  assertProblem(t, response, 502, 'upstream_unreachable', String(closed));
});

t.test('a silent upstream is 504 at the configured limit', async (t) => {
  const { port, upstream } = await before(t, () => {}, { response: '300ms' });
  const start = performance.now();
  const response = await ask(port, requestText({ target }));
  const took = performance.now() - start;
  t.ok(took > 250 && took < 10_000, `after ${Math.round(took)} ms`);
  assertProblem(t, response, 504, 'upstream_timeout', String(upstream.port));
});

t.test('an upstream that becomes silent in the middle of an answer ends it, cut, at the idle limit', async (t) => {
  const { port } = await before(t, half, { idle: '300ms' });
  const response = await exchange(port, requestText({ target }));
  t.notOk(response?.complete);
});

t.test('an answer that is cut is logged at warn, and counted by its reason', async (t) => {
  const upstream = await rawUpstream(t, half);
  const { port, log, adminUrl } = await gateway(t, {
    ...behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout: { idle: '300ms' } } } }),
    health: '127.0.0.1:0',
    admin: '127.0.0.1:0',
  });
  await exchange(port, requestText({ target }));
  t.ok(await until(() => log.some(({ level, code }) => level === 40 && code === 'forwarded')));
  const labels = { code: 'forwarded', reason: 'cut short' };
  t.equal(await sample(adminUrl as string, 'gatehouse_requests_total', labels), 1);
});

const garbage: Readonly<Record<string, string>> = {
  'no HTTP at all': 'hello, this is not HTTP\r\n\r\n',
  binary: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a status that is no number': 'HTTP/1.1 abc OK\r\ncontent-length: 0\r\n\r\n',
  'a status of two digits': 'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n',
  'an unknown version': 'HTTP/9.9 200 OK\r\ncontent-length: 0\r\n\r\n',
  'two different lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nokk',
  'two different lengths in mixed case (advisory 47)':
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 3\r\n\r\nokk',
  'a length that is no number': 'HTTP/1.1 200 OK\r\ncontent-length: abc\r\n\r\nok',
  'a negative length': 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok',
  'Content-Length and Transfer-Encoding':
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'a NUL in a header': 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\nok',
  'a NUL in a name': 'HTTP/1.1 200 OK\r\nx\0: b\r\ncontent-length: 2\r\n\r\nok',
  'a line without a colon': 'HTTP/1.1 200 OK\r\nnocolon\r\ncontent-length: 2\r\n\r\nok',
  'a header section of 100 KiB': `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100 * 1024)}\r\ncontent-length: 2\r\n\r\nok`,
  'an end in the middle of the head': 'HTTP/1.1 200 OK\r\ncontent-le',
  'an end before anything': '',
};

for (const [name, bytes] of Object.entries(garbage)) {
  t.test(`garbage is 502: ${name}`, async (t) => {
    const { port, upstream } = await before(t, ({ socket }) => socket.end(bytes, 'latin1'));
    assertProblem(t, await exchange(port, requestText({ target })), 502, 'upstream_invalid', String(upstream.port));
  });
}

t.test('a reset before an answer is 502', async (t) => {
  const { port } = await before(t, ({ socket }) => socket.resetAndDestroy());
  t.equal((await ask(port, requestText({ target }))).status, 502);
});

t.test('a request that is not idempotent is never retried after a reset', async (t) => {
  const { port, upstream } = await before(t, ({ socket }) => socket.resetAndDestroy());
  t.equal((await ask(port, requestText({ method: 'POST', target, body: 'once' }), { method: 'POST' })).status, 502);
  t.equal(upstream.connections.filter(({ received }) => received.includes('POST')).length, 1);
});

t.test('101 without an upgrade is 502, and the process survives (advisory 50)', async (t) => {
  const { port } = await before(t, ({ socket }) =>
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-extensions: permessage-deflate; server_max_window_bits=99\r\n\r\n',
    ),
  );
  t.equal((await ask(port, requestText({ target }))).status, 502);
  t.equal((await ask(port, requestText({ target }))).status, 502);
});

t.test('interim answers, even a flood of them, neither become the answer nor delay the client', async (t) => {
  const flood = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000);
  const { port } = await before(t, ({ socket }) => socket.write(flood + answerText('ok')));
  const response = await ask(port, requestText({ target }));
  t.equal(response.status, 200);
  t.equal(response.body.toString(), 'ok');
  t.ok(response.interim.every((status) => status !== 101 && status < 200));
});

t.test('endless interim answers are 504 at the response limit', async (t) => {
  const script: Script = ({ socket }) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const { port } = await before(t, script, { response: '500ms' });
  t.equal((await ask(port, requestText({ target }))).status, 504);
});

/** Where a cut leaves an answer that has one of the two kinds of framing. */
const cuts: Readonly<Record<string, string>> = {
  'with a length': 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n',
  'in chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e8\r\n',
  'compressed, in chunks': 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n3e8\r\n',
};

for (const [name, head] of Object.entries(cuts)) {
  t.test(`an answer ${name} that is cut anywhere is cut for the client, and never looks complete`, async (t) => {
    const dice = random(head.length);
    const script: Script = ({ socket }) => {
      const sent = dice.below(1000);
      socket.write(head + 'x'.repeat(sent), 'latin1', () => {
        if (dice.chance(0.5)) socket.end();
        else setTimeout(() => socket.resetAndDestroy(), dice.below(3));
      });
    };
    const { port } = await before(t, script);
    for (let i = 0; i < (isLong ? 1000 : 100); i++) {
      const response = await exchange(port, requestText({ target }));
      const isCut = response === undefined || response.status === 502 || !response.complete;
      if (!isCut) t.fail(`cut ${i} looks like a whole answer of ${response.body.length} bytes`);
    }
    t.pass('every one was seen to be cut');
  });
}

t.test('an invalid chunk in the answer cuts it', async (t) => {
  for (const chunk of ['xyz\r\nhello\r\n0\r\n\r\n', '5\r\nhello!\r\n0\r\n\r\n', '5\r\nhello\r\n-1\r\n']) {
    const { port } = await before(t, ({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`),
    );
    const response = await exchange(port, requestText({ target }));
    t.ok(response === undefined || response.status === 502 || !response.complete, JSON.stringify(chunk));
  }
});

/** Ways in which an upstream sends more than one answer (advisories 34, 49). */
const extras: Readonly<Record<string, (id: string) => string>> = {
  'two answers at once': (id) => answerText(id) + answerText(`stray ${id}`),
  'bytes behind the length': (id) => `${answerText(id)}stray ${id}`,
  'an answer behind 204': (id) => `HTTP/1.1 204 No Content\r\nx-id: ${id}\r\n\r\n${answerText(`stray ${id}`)}`,
  'an answer behind 304': (id) => `HTTP/1.1 304 Not Modified\r\n\r\n${answerText(`stray ${id}`)}`,
  'bytes behind the last chunk': (id) =>
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${id.length.toString(16)}\r\n${id}\r\n0\r\n\r\nstray ${id}`,
};

for (const [name, text] of Object.entries(extras)) {
  t.test(`advisory 49: ${name} never reach the next client`, async (t) => {
    const script: Script = (connection) => {
      const id =
        /\r\nx-case: (\d+)/i.exec(connection.received.split('\r\n\r\n')[connection.heads - 1] ?? '')?.[1] ?? 'none';
      connection.socket.write(text(id), 'latin1');
    };
    const { port } = await before(t, script);
    const crossed: string[] = [];
    await sendAll({
      port,
      items: Array.from({ length: isLong ? 10_000 : 500 }, (_, index) => String(10_000 + index)),
      bytes: (id) => requestText({ target, headers: [['X-Case', id]] }),
      onAnswer: (id, response) => {
        const body = response?.body.toString() ?? '';
        const isOwn = body === id || body === '' || response?.status === 502 || response?.complete === false;
        if (!isOwn) crossed.push(`${id} got ${response?.status} ${body.slice(0, 50)}`);
      },
    });
    t.same(crossed.slice(0, 5), []);
  });
}

t.test('advisory 49: a body after the answer to HEAD never reaches the next client', async (t) => {
  const script: Script = (connection) => {
    const head = connection.received.split('\r\n\r\n')[connection.heads - 1] ?? '';
    const id = /\r\nx-case: (\d+)/i.exec(head)?.[1] ?? 'none';
    connection.socket.write(answerText(id, { headers: [`x-answer: ${id}`] }), 'latin1');
  };
  const { port } = await before(t, script);
  const crossed: string[] = [];
  const methodOf = (id: string) => (Number(id) % 2 === 0 ? 'HEAD' : 'GET');
  await sendAll({
    port,
    items: Array.from({ length: 500 }, (_, index) => String(10_000 + index)),
    method: methodOf,
    bytes: (id) => requestText({ method: methodOf(id), target, headers: [['X-Case', id]] }),
    onAnswer: (id, response) => {
      const isOwn = response === undefined || response.status === 502 || response.header('x-answer') === id;
      if (!isOwn) crossed.push(`${id} got ${response?.status} ${response?.header('x-answer')}`);
    },
  });
  t.same(crossed.slice(0, 5), []);
});

t.test('an answer on an idle connection does not count as the next request’s', async (t) => {
  const script: Script = ({ socket, heads }) => {
    socket.write(answerText(`answer ${heads}`));
    if (heads === 1) setTimeout(() => socket.write(answerText('stray')), 30);
  };
  const { port } = await before(t, script);
  const client = await open(t, port);
  for (let i = 0; i < 4; i++) {
    client.send(requestText({ target }));
    const response = await client.read();
    t.not(response?.body.toString(), 'stray');
    await new Promise((waited) => setTimeout(waited, 60));
  }
});

t.test(
  'an upstream that answers and closes before the upload ends gives its answer or a 502, without a wait',
  async (t) => {
    const { port } = await before(t, ({ socket }) =>
      socket.end(answerText('too large', { status: '413 Content Too Large', headers: ['connection: close'] })),
    );
    const client = await open(t, port);
    client.send(requestText({ method: 'POST', target, headers: [['Content-Length', '1000000']] }));
    client.send('x'.repeat(1000));
    const response = await client.read({ method: 'POST' });
    t.ok(response?.status === 413 || response?.status === 502, `${response?.status}`);
  },
);
