import t from 'tap';
import { followScript, type Play, stream } from '../../support/scripted-feed.ts';
import { until } from '../../support/until.ts';

/** Waits for feeds that say nothing: 19 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const event = (id: unknown, kind: string, data: unknown) =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
const good = event(7, 'jti', { key: 'j1', until: 2_000_000_000 });

const says =
  (text: string | Buffer, headers: Record<string, string> = stream, status = 200): Play =>
  (response) => {
    response.writeHead(status, headers);
    response.write(text);
  };

/** Answers that are not a feed: a fault each, and never an event. */
const hostile: Readonly<Record<string, Play>> = {
  'HTML with status 200': says('<html>ok</html>\n', { 'content-type': 'text/html' }),
  'HTML called a stream': says('<html>ok</html>\n'),
  JSON: says('{"events":[]}', { 'content-type': 'application/json' }),
  'status 500': says(good, stream, 500),
  'status 204': (response) => response.writeHead(204).end(),
  'a redirect': (response) => response.writeHead(302, { location: '/events2' }).end(),
  'a content coding': says(good, { ...stream, 'content-encoding': 'gzip' }),
  'bytes that are no UTF-8': says(Buffer.from([0x3a, 0xff, 0xfe, 0x0a])),
  'a line without end': says(`data: ${'x'.repeat(10_000)}`),
  'a line that is too long': says(`data: ${'x'.repeat(10_000)}\n\n`),
  'a frame without end': says('data: x\nid: 1\n'.repeat(50)),
  'a field twice': says('id: 1\nid: 2\nevent: jti\ndata: {"key":"j","until":1}\n\n'),
  'a field that nobody knows': says('jti: j1\n\n'),
  'no number': says(`event: jti\ndata: {"key":"j","until":1}\n\n`),
  'a number that is none': says(event('x', 'jti', { key: 'j', until: 1 })),
  'a negative number': says(event(-1, 'jti', { key: 'j', until: 1 })),
  'no kind': says('id: 1\ndata: {"key":"j","until":1}\n\n'),
  'a kind that nobody knows': says(event(1, 'everything', { key: 'j', until: 1 })),
  'a kind of the prototype': says(event(1, 'constructor', { key: 'j', until: 1 })),
  'no data': says('id: 1\nevent: jti\n\n'),
  'data that is no object': says(event(1, 'jti', ['j', 1])),
  'data that is no JSON': says('id: 1\nevent: jti\ndata: {key: j}\n\n'),
  'a member twice': says('id: 1\nevent: jti\ndata: {"key":"a","key":"b","until":1}\n\n'),
  'no key': says(event(1, 'jti', { until: 1 })),
  'an empty key': says(event(1, 'jti', { key: '', until: 1 })),
  'a key that is a number': says(event(1, 'jti', { key: 5, until: 1 })),
  'a key without end': says(event(1, 'jti', { key: 'k'.repeat(1000), until: 1 })),
  'an until that is text': says(event(1, 'jti', { key: 'j', until: '1' })),
  'an until that never comes': says('id: 1\nevent: jti\ndata: {"key":"j","until":1e999}\n\n'),
  'a cut-off without its moment': says(event(1, 'sub_nbf', { key: 'alice', until: 1 })),
  'a stream that ends at once': (response) => response.writeHead(200, stream).end(),
  'a reset': (response) => response.socket?.resetAndDestroy(),
  'no HTTP': (response) => response.socket?.end('hello, this is not HTTP\r\n\r\n'),
};

for (const [what, play] of Object.entries(hostile)) {
  t.test(`${what} is a fault, and not an event`, async (t) => {
    const { messages, log } = await followScript(t, play);
    t.ok(await until(() => messages.length > 0));
    t.strictSame([...new Set(messages.map(({ kind }) => kind))], ['lost']);
    t.equal(log.filter(({ level }) => level === 'warn').length, 1, 'told once');
    t.notMatch(JSON.stringify(log), /hello|<html>|xxxx/, 'not in its words');
  });
}

t.test('events before a fault count, and the next connection continues after them', async (t) => {
  const { messages, requests } = await followScript(t, (response, _request, call) => {
    response.writeHead(200, stream);
    response.write(call === 1 ? `${good}garbage\n` : ':\n\n');
  });
  t.ok(await until(() => messages.some(({ kind }) => kind === 'in_step')));
  t.strictSame(
    messages.map(({ kind }) => kind),
    ['event', 'lost', 'in_step'],
  );
  t.equal(requests[0]?.headers['last-event-id'], undefined);
  t.equal(requests[1]?.headers['last-event-id'], '7');
  t.equal(requests[1]?.headers.authorization, 'Basic eDp5');
});

t.test(
  'a feed that is cut at any byte is repeated from its cursor: nothing is lost, nothing is invented',
  async (t) => {
    const second = event(8, 'kid', { key: 'k1', until: 2_000_000_000 });
    const whole = `${good}${second}:\n\n`;
    const cuts = Array.from({ length: whole.length }, (_, index) => index);
    for (let start = 0; start < cuts.length; start += 40) {
      await Promise.all(
        cuts.slice(start, start + 40).map(async (cut) => {
          const { messages } = await followScript(t, (response, request, call) => {
            response.writeHead(200, stream);
            const last = Number(request.headers['last-event-id'] ?? 0);
            const rest = `${last < 7 ? good : ''}${last < 8 ? second : ''}:\n\n`;
            if (call > 1) response.write(rest);
            else response.write(whole.slice(0, cut), () => response.destroy());
          });
          t.ok(await until(() => messages.some(({ kind }) => kind === 'in_step')), `cut at ${cut}`);
          const keys = messages.flatMap((each) => (each.kind === 'event' ? [each.event.key] : []));
          t.strictSame(keys, ['j1', 'k1'], `cut at ${cut}`);
        }),
      );
    }
  },
);

t.test('a feed in single bytes, and with every kind of line end, is the same feed', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `${good}:\n\n:\n\n`.replaceAll('\n', end);
    const { messages } = await followScript(t, (response) => {
      response.writeHead(200, stream);
      void (async () => {
        for (const byte of text) {
          response.write(byte);
          await new Promise(setImmediate);
        }
      })();
    });
    t.ok(await until(() => messages.some(({ kind }) => kind === 'in_step')), JSON.stringify(end));
    t.equal(messages[0]?.kind, 'event');
  }
});

t.test('if a stream is buffered on its way, the feed is read with long polls', async (t) => {
  const news = { kind: 'jti', key: 'j1', until: 2_000_000_000 };
  const { messages, requests } = await followScript(t, (response, { url = '' }) => {
    const asked = new URL(url, 'http://x').searchParams;
    if (!asked.has('wait')) return;
    const events = asked.get('since') === null ? [{ ...news, seq: 7 }] : [];
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ events, next: 7 })),
      Number(asked.get('wait')) * 1000,
    );
  });
  t.ok(await until(() => messages.filter(({ kind }) => kind === 'in_step').length > 1, 25_000));
  t.strictSame(
    messages.slice(0, 4).map(({ kind }) => kind),
    ['lost', 'event', 'in_step', 'in_step'],
  );
  t.strictSame(
    requests.slice(0, 4).map(({ url }) => url),
    ['/events', '/events?wait=0', '/events?since=7&wait=0', '/events?since=7&wait=1'],
  );
});

t.test('401 and 403 are reported clearly, as errors, once', async (t) => {
  for (const status of [401, 403]) {
    const { requests, log } = await followScript(t, (response) => response.writeHead(status).end());
    t.ok(await until(() => requests.length > 2));
    t.equal(log.length, 1);
    t.match(log[0], { level: 'error', detail: status === 401 ? /rejects this gateway/ : /may not read the feed/ });
  }
});
