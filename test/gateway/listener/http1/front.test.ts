import { buffer, text } from 'node:stream/consumers';
import t from 'tap';
import type { ClientResponse } from '../../../../src/gateway/client/client-message.ts';
import type { IncomingRequest } from '../../../../src/gateway/client/incoming-request.ts';
import { ContentRequest } from '../../../../src/gateway/listener/http1/content-request.ts';
import { Lines } from '../../../../src/gateway/message/lines.ts';
import { readFields } from '../../../../src/gateway/message/request-head.ts';
import { open } from '../../../support/raw-client.ts';
import { until } from '../../../support/until.ts';
import { echo, fronted } from './fronted.ts';

const get = (target: string, ...lines: readonly string[]) =>
  `GET ${target} HTTP/1.1\r\n${['Host: a', ...lines].join('\r\n')}\r\n\r\n`;
const post = (target: string, body: string) =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
/** Only Node's server reads this. */
const inChunks = (target: string, body: string) =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** The content of a request, in latin1. */
function textOf(request: IncomingRequest['request']): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
  request.resume();
  // A request without content has no events.
  if (!(request instanceof ContentRequest)) resolve('');
  return promise;
}

/** Holds answers until the test releases them. */
function holding() {
  const owed: IncomingRequest[] = [];
  return { owed, hold: (arrival: IncomingRequest) => void owed.push(arrival) };
}

/** Forty connections of each kind, one after another: 23 s on a busy machine. */
t.setTimeout(180_000);

for (const reads of ['lent', 'data'] as const) {
  t.test(`requests of one write are answered one at a time, in their order (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const { port } = await fronted(t, reads, hold);
    const client = await open(t, port);
    client.send(get('/1') + get('/2') + get('/3'));
    for (const target of ['/1', '/2', '/3']) {
      t.ok(await until(() => owed.length === 1));
      const arrival = owed.shift() as IncomingRequest;
      t.equal(arrival.target, target);
      echo(arrival);
      t.equal(String((await client.read())?.body), target);
    }
  });

  t.test(`a connection is handed over with every byte that is not part of a request (${reads})`, async (t) => {
    const bodies: string[] = [];
    const { port, served } = await fronted(t, reads, echo, async (request, response) => {
      bodies.push(`${request.url} ${(await buffer(request)).toString('latin1')}`);
      response.end('by node');
    });
    const client = await open(t, port);
    client.send(get('/1') + inChunks('/2', 'x\xff\0y'.repeat(9)) + get('/3'));
    t.equal(String((await client.read())?.body), '/1');
    t.equal(String((await client.read())?.body), 'by node');
    t.equal(String((await client.read())?.body), 'by node');
    client.send(post('/4', 'later'));
    t.equal(String((await client.read())?.body), 'by node');
    t.strictSame(bodies.sort(), [`/2 ${'x\xff\0y'.repeat(9)}`, '/3 ', '/4 later']);
    t.equal(served.length, 1, 'for good');
  });

  t.test(`content that arrives with its head is read here, and so is the next request (${reads})`, async (t) => {
    const { port, served } = await fronted(t, reads, async (arrival) => {
      const text = await textOf(arrival.request);
      arrival.response.writeHead(200, ['content-length', String(text.length)]);
      arrival.response.end(text, 'latin1');
    });
    const client = await open(t, port);
    const content = `${get('/inner')}\xff\0`;
    client.send(post('/1', content) + post('/2', '') + get('/3') + post('/4', 'four'));
    for (const expected of [content, '', '', 'four']) t.equal((await client.read())?.body.toString('latin1'), expected);
    t.strictSame(
      served.map(({ target }) => target),
      ['/1', '/2', '/3', '/4'],
    );
  });

  t.test(`content that arrives after its head, and everything after it, is read by Node (${reads})`, async (t) => {
    const bodies: string[] = [];
    const { port, served } = await fronted(t, reads, echo, async (request, response) => {
      bodies.push(`${request.url} ${await text(request)}`);
      response.end('by node');
    });
    const client = await open(t, port);
    client.send(post('/1', 'one'));
    t.equal(String((await client.read())?.body), '/1');
    const [head, body] = [post('/2', 'two').slice(0, -2), 'wo'];
    client.send(head);
    const { socket } = (served[0] as IncomingRequest).request as unknown as { socket: { bytesRead: number } };
    t.ok(await until(() => socket.bytesRead === post('/1', 'one').length + head.length));
    client.send(body + post('/3', 'three'));
    for (const _each of [2, 3]) t.equal(String((await client.read())?.body), 'by node');
    t.strictSame(bodies, ['/2 two', '/3 three']);
    t.equal(served.length, 1);
  });

  t.test(`nothing is handed over before all answers are sent (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const byNode: string[] = [];
    const { port } = await fronted(t, reads, hold, (request, response) => {
      byNode.push(request.url ?? '');
      response.end();
    });
    const client = await open(t, port);
    client.send(get('/1') + inChunks('/2', 'body'));
    t.ok(await until(() => owed.length === 1));
    client.send(get('/3'));
    t.strictSame(byNode, []);
    echo(owed[0] as IncomingRequest);
    t.equal(String((await client.read())?.body), '/1');
    t.ok(await until(() => byNode.length === 2));
    t.strictSame(byNode, ['/2', '/3']);
  });

  for (const [name, bytes] of Object.entries({
    TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'the PROXY protocol': `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${get('/')}`,
    'the PROXY protocol in binary': `\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c${get('/')}`,
  }))
    t.test(`bytes of ${name} are left to Node to refuse, and do not become a request (${reads})`, async (t) => {
      const { port, served, faults } = await fronted(t, reads, echo);
      const client = await open(t, port);
      client.send(bytes);
      await client.untilClosed();
      t.equal(served.length, 0);
      t.equal(faults.length <= 1, true);
      t.equal(client.unread.length, 0);
    });

  t.test(`an upgraded protocol begins with the first byte after the handshake (${reads})`, async (t) => {
    const { port, server } = await fronted(t, reads, echo);
    server.on('upgrade', (_request, socket, head) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.write(head);
      socket.pipe(socket);
    });
    const client = await open(t, port);
    client.send(get('/1'));
    await client.read();
    client.send(`${get('/2', 'Connection: upgrade', 'Upgrade: websocket')}first`);
    t.ok(await until(() => client.unread.toString('latin1').endsWith('first')));
    client.send('second');
    t.ok(await until(() => client.unread.toString('latin1').endsWith('firstsecond')));
  });

  t.test(`a client that leaves ends the answer that it waits for, once (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const { port } = await fronted(t, reads, hold);
    const client = await open(t, port);
    client.send(get('/'));
    t.ok(await until(() => owed.length === 1));
    const { response } = owed[0] as IncomingRequest;
    let closed = 0;
    response.on('close', () => closed++);
    client.destroy();
    t.ok(await until(() => response.destroyed));
    t.ok(await until(() => closed === 1));
    response.writeHead(200, []);
    t.equal(response.write('late'), false);
    response.end();
    await new Promise((turn) => setImmediate(turn));
    t.equal(closed, 1);
  });

  t.test(`calls to an ended answer do not affect the next one (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const { port } = await fronted(t, reads, hold);
    const client = await open(t, port);
    client.send(get('/1') + get('/2'));
    t.ok(await until(() => owed.length === 1));
    const first = owed[0] as IncomingRequest;
    let closed = 0;
    first.response.on('close', () => closed++);
    echo(first);
    t.ok(await until(() => owed.length === 2 && closed === 1));
    first.response.end('again');
    first.response.flushHeaders();
    t.equal(first.response.write('more'), false);
    t.equal(first.response.socket, null);
    t.equal(first.response.destroyed, true);
    echo(owed[1] as IncomingRequest);
    t.equal(String((await client.read())?.body), '/1');
    t.equal(String((await client.read())?.body), '/2');
    t.equal(client.unread.length, 0);
  });

  t.test(`ten thousand requests of one connection are answered, some in each turn (${reads})`, async (t) => {
    let inTurn = 0;
    let most = 0;
    const { port } = await fronted(t, reads, (arrival) => {
      most = Math.max(most, ++inTurn);
      if (inTurn === 1) setImmediate(() => (inTurn = 0));
      echo(arrival);
    });
    const client = await open(t, port);
    client.send(get('/a').repeat(10_000));
    for (let count = 0; count < 10_000; count++) if ((await client.read())?.status !== 200) t.fail(`answer ${count}`);
    t.ok(most <= 2 * 64, `${most} in one turn`);
  });

  t.test(`a client that keeps sending and reads nothing is not read any further (${reads})`, async (t) => {
    const { port, served } = await fronted(t, reads, ({ response }) => {
      response.writeHead(200, ['content-length', '65536']);
      response.end('x'.repeat(65_536), 'latin1');
    });
    const client = await open(t, port);
    client.socket.pause();
    const flood = get('/a', `X-Fill: ${'y'.repeat(1_000)}`).repeat(1_000);
    for (let sent = 0; sent < 40 && client.socket.writableLength < 8 * 1024 * 1024; sent++) client.send(flood);
    let before = -1;
    t.ok(
      await until(async () => {
        const same = served.length === before;
        before = served.length;
        await new Promise((later) => setTimeout(later, 200));
        return same;
      }),
    );
    const { socket } = (served.at(-1) as IncomingRequest).request as unknown as { socket: { bytesRead: number } };
    t.ok(socket.bytesRead < 8 * 1024 * 1024, `${socket.bytesRead} bytes read`);
    t.ok(served.length < 2_000, `${served.length} requests begun`);
    client.socket.resume();
    for (let count = 0; count < 300; count++) t.equal((await client.read())?.status, 200);
  });

  t.test(
    `repeated fields are cached until fields with other names arrive or the connection is idle (${reads})`,
    async (t) => {
      const { port, served, checked, clock } = await fronted(t, reads, echo);
      const client = await open(t, port);
      const memory = async (...lines: readonly string[]) => {
        client.send(get('/', ...lines));
        await client.read();
        return served.at(-1)?.request.memory;
      };
      t.equal(await memory('X: 1'), undefined, 'a first time');
      const again = await memory('X: 1');
      t.match(again, { fields: { fields: ['host', 'a', 'x', '1'] } });
      t.equal(await memory('X: 1'), again);
      t.match(await memory('X: 2'), { fields: { fields: ['host', 'a', 'x', '2'] } });
      t.match(again, { fields: { fields: ['host', 'a', 'x', '1'] } }, 'another value does not change what came before');
      t.equal(await memory('Y: 1'), undefined, 'another name');
      t.equal(await memory('X: 1'), undefined, 'the name before this one');
      t.ok(await memory('X: 1'));
      await checked();
      clock.advance(999);
      await checked();
      t.ok(await memory('X: 1'));
      await checked();
      clock.advance(1_000);
      await checked();
      t.equal(await memory('X: 1'), undefined, 'an idle connection');
    },
  );

  t.test(`fields that differ only in the credential share what does not depend on it (${reads})`, async (t) => {
    const { port, served } = await fronted(t, reads, echo);
    const client = await open(t, port);
    const memory = async (credential: string) => {
      client.send(get('/', 'X: 1', `Authorization: ${credential}`));
      await client.read();
      const { memory: found, rawHeaders } = served.at(-1)?.request ?? {};
      if (found !== undefined) t.match(found.fields, readFields(rawHeaders ?? []), credential);
      return found;
    };
    t.equal(await memory('a'), undefined, 'a first time');
    const second = await memory('b');
    t.equal(await memory('b'), second);
    const sent = { lines: new Lines(['host', 'a', 'x', '1']), received: 4 };
    second?.sent.for(['a route'], () => sent);
    const third = await memory('c');
    t.not(third, second);
    t.equal(third?.sent.last, sent);
    t.match(second, { fields: { authorization: { value: 'b' } } }, 'and do not change what came before');
  });

  t.test(`a head that is longer than one read is answered (${reads})`, async (t) => {
    const { port, server } = await fronted(t, reads, echo);
    Object.assign(server, { maxHeaderSize: 512 * 1024 });
    const client = await open(t, port);
    client.send(get('/1') + get('/2', `X: ${'a'.repeat(200_000)}`));
    for (let count = 0; count < 2; count++) t.equal((await client.read())?.status, 200);
  });

  t.test(`an idle connection ends a second after its announced time (${reads})`, async (t) => {
    const { port, clock, checked } = await fronted(t, reads, echo);
    const client = await open(t, port);
    client.send(get('/'));
    const answer = await client.read();
    t.equal(answer?.header('keep-alive'), 'timeout=75');
    await checked();
    clock.advance(75_900);
    await checked();
    t.equal(client.closed, false);
    clock.advance(200);
    await client.untilClosed();
    t.equal(client.unread.length, 0);
  });

  for (const [name, first, later] of [
    ['that never comes', '', ''],
    ['whose bytes come one by one', 'GET / HTTP/1.1\r\nHost: a\r\nX: ', 'y'],
  ] as const)
    t.test(`a head ${name} is too late after headers_timeout, and not before (${reads})`, async (t) => {
      const { port, clock, faults, checked } = await fronted(t, reads, echo);
      const client = await open(t, port);
      client.send(first);
      await checked();
      clock.advance(5_000);
      client.send(later);
      await checked();
      clock.advance(4_900);
      client.send(later);
      await checked();
      t.equal(client.closed, false);
      clock.advance(200);
      await client.untilClosed();
      t.strictSame(faults, ['ERR_HTTP_REQUEST_TIMEOUT']);
    });

  t.test(`the second head of a connection has its own time (${reads})`, async (t) => {
    const { port, clock, faults, checked } = await fronted(t, reads, echo);
    const client = await open(t, port);
    client.send(get('/1'));
    await client.read();
    await checked();
    clock.advance(50_000);
    client.send('GET /2 HTTP/1.1\r\n');
    await checked();
    clock.advance(9_000);
    await checked();
    t.equal(client.closed, false);
    client.send('Host: a\r\n\r\n');
    t.equal(String((await client.read())?.body), '/2');
    client.send('GET /3');
    await checked();
    clock.advance(11_000);
    await client.untilClosed();
    t.strictSame(faults, ['ERR_HTTP_REQUEST_TIMEOUT']);
  });

  t.test(`an answer may take any time (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const { port, clock, checked } = await fronted(t, reads, hold);
    const client = await open(t, port);
    client.send(get('/'));
    t.ok(await until(() => owed.length === 1));
    clock.advance(3_600_000);
    await checked();
    echo(owed[0] as IncomingRequest);
    t.equal(String((await client.read())?.body), '/');
  });

  t.test(
    `a client that ends in the middle of a head gets an error, and one between two requests does not (${reads})`,
    async (t) => {
      const { port, faults } = await fronted(t, reads, echo);
      const [cut, done] = [await open(t, port), await open(t, port)];
      cut.send('GET / HTTP/1.1\r\nHo');
      done.send(get('/'));
      await done.read();
      cut.socket.end();
      done.socket.end();
      await Promise.all([cut.untilClosed(), done.untilClosed()]);
      t.strictSame(faults, ['HPE_INVALID_EOF_STATE']);
    },
  );

  t.test(`Connection: close ends the connection, and bytes after it are not a request (${reads})`, async (t) => {
    const { port, served } = await fronted(t, reads, echo);
    const client = await open(t, port);
    client.send(get('/1', 'Connection: Close') + get('/2'));
    const answer = await client.read();
    t.equal(answer?.header('connection'), 'close');
    await client.untilClosed();
    t.equal(served.length, 1);
    t.equal(client.unread.length, 0);
  });

  t.test(`idle connections are closed on demand, and others once they are idle (${reads})`, async (t) => {
    const { owed, hold } = holding();
    const { port, server } = await fronted(t, reads, hold);
    const [idle, busy, fresh] = [await open(t, port), await open(t, port), await open(t, port)];
    idle.send(get('/idle'));
    t.ok(await until(() => owed.length === 1));
    echo(owed[0] as IncomingRequest);
    await idle.read();
    busy.send(get('/busy'));
    t.ok(await until(() => owed.length === 2));
    server.closeIdleConnections();
    await idle.untilClosed();
    t.equal(busy.closed, false);
    t.equal(fresh.closed, false, 'its request may be on its way');
    echo(owed[1] as IncomingRequest);
    t.equal(String((await busy.read())?.body), '/busy');
    server.closeIdleConnections();
    await busy.untilClosed();
  });

  t.test(`the server is closed when the last connection is, and counts each once (${reads})`, async (t) => {
    const { port, server } = await fronted(t, reads, echo);
    const clients = [await open(t, port), await open(t, port)];
    for (const client of clients) {
      client.send(get('/'));
      await client.read();
    }
    const count = () =>
      new Promise<number>((resolve) => server.getConnections((_error, connections) => resolve(connections)));
    t.equal(await count(), 2);
    clients[0]?.destroy();
    t.ok(await until(async () => (await count()) === 1));
    const closed = new Promise((resolve) => server.close(resolve));
    clients[1]?.destroy();
    await closed;
  });

  t.test(`connections above the limit are refused (${reads})`, async (t) => {
    const { port, server } = await fronted(t, reads, echo);
    server.maxConnections = 1;
    const first = await open(t, port);
    first.send(get('/'));
    t.equal((await first.read())?.status, 200);
    const second = await open(t, port);
    second.send(get('/'));
    t.equal(await second.read(), undefined);
    first.destroy();
    t.ok(
      await until(async () => {
        const next = await open(t, port);
        next.send(get('/'));
        return (await next.read())?.status === 200;
      }),
    );
  });
}

/** The bytes of an answer, for each of its forms. */
const forms: Readonly<Record<string, { write(response: ClientResponse): void; bytes: string; method?: string }>> = {
  'a length': {
    write(response) {
      response.writeHead(200, ['Content-Length', '2', 'Date', 'x']);
      response.end('ok', 'latin1');
    },
    bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: x\r\nKEEPok',
  },
  'chunks and trailers': {
    write(response) {
      response.writeHead(206, ['date', 'x', 'trailer', 'x-sum']);
      response.write('abc');
      response.addTrailers([['x-sum', '3']]);
      response.end();
    },
    bytes: 'HTTP/1.1 206 Partial Content\r\ndate: x\r\ntrailer: x-sum\r\nCHUNKED3\r\nabc\r\n0\r\nx-sum: 3\r\n\r\n',
  },
  // Node decodes this field as UTF-8 after a length, and throws if it is not.
  'obs-text in Content-Disposition': {
    write(response) {
      response.writeHead(200, ['content-length', '0', 'content-disposition', 'a; filename="caf\xe9"', 'date', 'x']);
      response.end();
    },
    bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-disposition: a; filename="caf\xe9"\r\ndate: x\r\nKEEP',
  },
  'an unknown status without content': {
    write(response) {
      response.writeHead(799, ['date', 'x', 'content-length', '0']);
      response.end();
    },
    bytes: 'HTTP/1.1 799 unknown\r\ndate: x\r\ncontent-length: 0\r\nKEEP',
  },
  'no content': {
    write(response) {
      response.writeHead(204, ['date', 'x']);
      response.end('ignored');
    },
    bytes: 'HTTP/1.1 204 No Content\r\ndate: x\r\nKEEP',
  },
  'a head alone': {
    method: 'HEAD',
    write(response) {
      response.writeHead(200, ['date', 'x']);
      response.write('ignored');
      response.end();
    },
    bytes: 'HTTP/1.1 200 OK\r\ndate: x\r\nKEEP',
  },
  'obs-text in a field, and UTF-8 in the content': {
    write(response) {
      response.writeHead(200, ['date', 'x', 'x-name', 'caf\xe9', 'content-length', '3']);
      response.end('\u00e9!');
    },
    bytes: 'HTTP/1.1 200 OK\r\ndate: x\r\nx-name: caf\xe9\r\ncontent-length: 3\r\nKEEP\xc3\xa9!',
  },
};

for (const [name, { write, bytes, method = 'GET' }] of Object.entries(forms))
  t.test(`an answer with ${name} is written byte for byte`, async (t) => {
    const keep = 'Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n';
    const expected = bytes
      .replace('KEEP', `${keep}\r\n`)
      .replace('CHUNKED', `${keep}Transfer-Encoding: chunked\r\n\r\n`);
    const { port } = await fronted(t, 'lent', ({ response }) => write(response));
    const client = await open(t, port);
    client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    t.ok(await until(() => client.unread.length >= expected.length));
    t.equal(client.unread.toString('latin1'), expected);
  });

t.test('an answer that cannot be written throws as with Node, and another one can follow', async (t) => {
  const codes: unknown[] = [];
  const attempt = (response: ClientResponse, status: number, fields: string[]) => {
    try {
      response.writeHead(status, fields);
    } catch (error) {
      codes.push((error as NodeJS.ErrnoException).code);
    }
  };
  const { port } = await fronted(t, 'lent', (arrival) => {
    attempt(arrival.response, 200, ['x', 'a\r\nb: c']);
    attempt(arrival.response, 200, ['x y', 'a']);
    attempt(arrival.response, 200, ['', 'a']);
    attempt(arrival.response, 99, []);
    t.equal(arrival.response.headersSent, false);
    echo(arrival);
  });
  const client = await open(t, port);
  client.send(get('/'));
  t.equal((await client.read())?.status, 200);
  const token = 'ERR_INVALID_HTTP_TOKEN';
  t.strictSame(codes, ['ERR_INVALID_CHAR', token, token, 'ERR_HTTP_INVALID_STATUS_CODE']);
});

t.test('an answer without Date gets one (RFC 9110 §6.6.1)', async (t) => {
  const { port } = await fronted(t, 'lent', echo);
  const client = await open(t, port);
  client.send(get('/'));
  const date = (await client.read())?.header('date') ?? '';
  t.equal(new Date(date).toUTCString(), date);
  t.ok(Math.abs(Date.now() - Date.parse(date)) < 20_000);
});
