import type { IncomingMessage, ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { endpoint } from '../../support/endpoint.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';

const rules = { scope: { '*': 'mcp.use', 'tools/call secret*': 'nobody' } };
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'echo' }, { name: 'secret' }] } });
const filtered = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'echo' }] } });

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

interface Scene {
  readonly engine?: string;
  readonly mcp?: object;
  readonly limits?: object;
}

/** The status, the text and the header section of the answer. `CUT`: the connection broke before its end. */
async function ask(
  t: Test,
  answer: Answer,
  { engine = 'own', mcp = {}, limits = {} }: Scene = {},
  method = 'tools/list',
  headers = {},
) {
  const { url } = await endpoint(t, (request, response) => answer(response, request));
  const upstreams = { api: { url: new URL(url).origin, engine } };
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp: { ...rules, ...mcp } }];
  const running = await gateway(t, behind(url, { upstreams, routes, limits }));
  const token = await jwt({ scope: 'mcp.use' }, { alg: 'HS256' });
  const params = method === 'tools/call' ? { name: 'echo' } : {};
  const sent = fetch(`${running.url}/mcp`, {
    ...(method === 'GET' ? {} : { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
  });
  // The connection may break before the head of the answer, or after it.
  const answered = await sent
    .then(async (response) => ({ status: response.status, text: await response.text(), fields: response.headers }))
    .catch(() => CUT);
  return { ...answered, log: running.log.filter(({ code }) => code === 'forwarded') };
}

const CUT = { status: 0, text: 'cut', fields: new Headers() };

const json =
  (text: string | Buffer, status = 200, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(text);
const events = (text: string | Buffer) => json(text, 200, 'text/event-stream');

for (const engine of ['own', 'undici']) {
  t.test(`${engine}: a byte order mark hides no list`, async (t) => {
    t.equal((await ask(t, json(`\ufeff${list}`), { engine })).text, filtered);
    t.equal((await ask(t, events(`\ufeffdata: ${list}\n\n`), { engine })).text, `data: ${filtered}\n\n`);
  });

  t.test(`${engine}: an answer that cannot be filtered is not passed on`, async (t) => {
    const deep = `{"result":{"tools":[{"name":"secret","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}}`;
    for (const [what, answer] of Object.entries<Answer>({
      'no JSON': json(list.slice(1)),
      NaN: json('{"result":{"tools":[{"name":"secret","x":NaN}]}}'),
      'another character set': json(Buffer.from(list, 'utf16le')),
      'very deep JSON': json(deep),
      'another type': json(list, 200, 'text/json'),
      'another type and status': json(list, 203, 'application/json-rpc'),
      'a part': json(list.slice(0, -1), 206),
      'a coding': (response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(list),
    })) {
      const { status, text } = await ask(t, answer, { engine });
      t.equal(status, 502, what);
      t.notMatch(text, /secret/, what);
    }
  });

  t.test(`${engine}: a stream with an event that cannot be filtered ends there`, async (t) => {
    const event = 'data: {"result":{"tools":[{"name":"secret","x":NaN}]}}';
    for (const end of ['\n\n', '\n', '']) {
      const { text, log } = await ask(t, events(`: hello\n\n${event}${end}`), { engine });
      t.equal(text, 'cut', JSON.stringify(end));
      t.match(log, [
        {
          level: 40,
          code: 'forwarded',
          detail: /^cut short: upstreams\.api at [0-9.:]+: the data of an event is not JSON$/,
        },
      ]);
    }
  });

  t.test(`${engine}: a stream that ends inside a character at the limit of an event is cut`, async (t) => {
    const long = Buffer.concat([Buffer.from(`data: ${'a'.repeat(1018)}`), Buffer.from([0xe2])]);
    t.equal((await ask(t, events(long), { engine, mcp: { body: '1KiB' } })).text, 'cut');
  });

  t.test(`${engine}: a client gets each byte of a long answer once`, async (t) => {
    const long = JSON.stringify({ result: { content: 'abcdefghij'.repeat(300_000) } });
    t.ok((await ask(t, json(long), { engine }, 'tools/call')).text === long);
    const stream = `data: ${'abcdefghij'.repeat(1000)}\n\n`.repeat(1000);
    for (const mcp of [{}, { sessions: true }])
      t.ok((await ask(t, events(stream), { engine, mcp }, 'tools/call')).text === stream);
  });

  t.test(`${engine}: a long answer of a session that is no list passes as it came`, async (t) => {
    const long = JSON.stringify({ result: { content: 'a'.repeat(300_000) } });
    const piecemeal: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write(long.slice(0, 500));
      response.end(long.slice(500));
    };
    const scene = { engine, mcp: { sessions: true, body: '1KiB' } };
    const inEvent = `data: ${long}\n\n`;
    t.ok((await ask(t, events(inEvent), scene, 'tools/call')).text === inEvent);
    for (const answer of [json(long), piecemeal]) t.ok((await ask(t, answer, scene, 'tools/call')).text === long);
  });

  t.test(`${engine}: a list in small chunks is read as a whole`, async (t) => {
    const answer: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const byte of Buffer.from(list)) response.write(Buffer.from([byte]));
      response.end();
    };
    t.equal((await ask(t, answer, { engine })).text, filtered);
  });
}

t.test('an answer with another success status is filtered too', async (t) => {
  const { status, text } = await ask(t, json(list, 203));
  t.equal(status, 203);
  t.equal(text, filtered);
});

t.test('an answer without content, or one that refuses, passes', async (t) => {
  t.equal((await ask(t, (response) => void response.writeHead(204).end())).status, 204);
  t.equal((await ask(t, (response) => void response.writeHead(202, { 'content-length': 0 }).end())).status, 202);
  t.match(await ask(t, json('sorry', 500, 'text/plain')), { status: 500, text: 'sorry' });
});

t.test('no list of any kind passes without a filter through a stream of a session', async (t) => {
  const mcp = { sessions: true };
  t.equal((await ask(t, events(`data: ${list}\n\n`), { mcp }, 'tools/call')).text, `data: ${filtered}\n\n`);
  t.equal((await ask(t, events(`data: ${list}\n\n`), { mcp }, 'GET')).text, `data: ${filtered}\n\n`);
  t.equal(
    (await ask(t, events('event: endpoint\ndata: /messages\n\n'), { mcp }, 'GET')).text,
    'event: endpoint\ndata: /messages\n\n',
  );
});

t.test('the upstream is not asked for a part of a list', async (t) => {
  const answer: Answer = (response, { headers }) => json(list, headers.range === undefined ? 200 : 206)(response);
  t.equal((await ask(t, answer, {}, 'tools/list', { range: 'bytes=0-', 'if-range': '"a"' })).status, 200);
});

t.test('no list passes without a filter in a JSON answer to another call of a session', async (t) => {
  const mcp = { sessions: true };
  const asked = async (text: string | Buffer) => ask(t, json(text), { mcp }, 'tools/call');
  t.equal((await asked(list)).text, filtered);
  t.equal((await asked(list.replace('tools', 't\\u006fols'))).text, filtered);
  t.equal((await asked(Buffer.from(list, 'utf16le'))).status, 502);
  const other = '{ "jsonrpc": "2.0", "id": 1, "result": { "content": [1.0, NaN] } }';
  t.equal((await asked(other)).text, other, 'an answer without a list passes byte by byte');
});

t.test('an empty answer contains no list, whatever its type says', async (t) => {
  for (const method of ['tools/list', 'tools/call'])
    for (const length of [{ 'content-length': 0 }, {}]) {
      const answer: Answer = (response) =>
        void response.writeHead(202, { 'content-type': 'application/json', ...length }).end();
      const { status, text } = await ask(t, answer, { mcp: { sessions: true } }, method);
      t.strictSame([status, text], [202, ''], method);
    }
});

t.test('a filtered answer has no digest and no validator of the original', async (t) => {
  const sums = { 'content-digest': 'sha-256=:AA==:', 'repr-digest': 'sha-256=:AA==:', digest: 'a', etag: '"a"' };
  const answer: Answer = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json', 'x-other': 'a', ...sums }).end(list);
  const { fields, text } = await ask(t, answer);
  t.equal(text, filtered);
  t.equal(fields.get('x-other'), 'a');
  for (const name of Object.keys(sums)) t.equal(fields.get(name), null, name);
  const passed = await ask(t, answer, {}, 'tools/call');
  t.equal(passed.fields.get('etag'), '"a"');
});

t.test('held answers and events count with the memory for held bodies', async (t) => {
  const limits = { share: 0.01 };
  const long = JSON.stringify({ result: { tools: [{ name: 'echo', description: 'a'.repeat(900_000) }] } });
  t.equal((await ask(t, json(long))).status, 200);
  t.equal((await ask(t, json(long), { limits })).status, 503);
  t.equal((await ask(t, events(`data: ${long}\n\n`))).status, 200);
  t.equal((await ask(t, events(`data: ${long}\n\n`), { limits })).text, 'cut');
  const short = JSON.stringify({ result: { content: 'a'.repeat(100_000) } });
  const many = `data: ${short}\n\n`.repeat(20);
  t.equal((await ask(t, events(many), { limits })).text.length, many.length, 'an event that has passed counts no more');
});
