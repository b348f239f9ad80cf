import type { Test } from 'tap';
import { credentialsFor } from '../../support/digest-caller.ts';
import { askHttp2, http2Client } from '../../support/http2-client.ts';
import { ask, open } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import type { Recorded } from '../engines/recording-upstream.ts';
import type { Field } from './row.ts';
import type { Stage } from './stage.ts';

const named = (id: string): Field => ['X-Case', id];

/** The request that arrived under this name. A test that finds more or fewer fails. */
function only(t: Test, { upstream }: Stage, id: string): Recorded | undefined {
  const seen = upstream.take(id);
  t.equal(seen.length, 1, `${id} arrived once`);
  return seen[0];
}

const form = (body: string, id: string) =>
  requestText({
    method: 'POST',
    target: '/form',
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], named(id)],
    body,
  });

/** Clients with several messages, or with another protocol than HTTP/1.1. */
export const clients: Readonly<Record<string, (t: Test, stage: Stage) => Promise<void>>> = {
  async 'a form with its token, which stays here'(t, stage) {
    const { port } = await stage.gateway('plain');
    const body = `a=1&b=caf%C3%A9&access_token=${stage.token}&c[]=2&c[]=3`;
    t.equal((await ask(port, form(body, 'form'))).status, 200);
    const seen = only(t, stage, 'form');
    t.equal(seen?.body.toString(), 'a=1&b=caf%C3%A9&c[]=2&c[]=3');
    t.strictSame(seen?.all('content-length'), [String(seen?.body.length)]);
  },

  async 'a token in the query, which stays here'(t, stage) {
    const { port } = await stage.gateway('plain');
    const target = `/feed?a=%2F&access_token=${stage.token}&b[]=1&b[]=2`;
    const response = await ask(port, requestText({ target, headers: [named('query')] }));
    t.equal(response.status, 200);
    t.equal(only(t, stage, 'query')?.line, 'GET /feed?a=%2F&b[]=1&b[]=2 HTTP/1.1');
  },

  async Basic(t, stage) {
    const { port } = await stage.gateway('people');
    const authorization: Field = ['Authorization', `basic ${Buffer.from('alice:wonderland').toString('base64')}`];
    t.equal((await ask(port, requestText({ target: '/basic', headers: [authorization, named('basic')] }))).status, 200);
    t.strictSame(only(t, stage, 'basic')?.all('authorization'), []);
  },

  async 'Digest, after its challenge'(t, stage) {
    const { port } = await stage.gateway('people');
    const target = '/digest?a=%20b';
    const client = await open(t, port);
    client.send(requestText({ target }));
    const challenges = (await client.read())?.all('www-authenticate').join() ?? '';
    const nonce = /nonce="([^"]+)"/.exec(challenges)?.[1] ?? '';
    const authorization: Field = ['Authorization', credentialsFor(target, nonce, 1)];
    client.send(requestText({ target, headers: [authorization, named('digest')] }));
    t.equal((await client.read())?.status, 200);
    t.equal(only(t, stage, 'digest')?.line, `GET ${target} HTTP/1.1`);
  },

  async 'an upload that waits for 100 Continue'(t, stage) {
    const { port } = await stage.gateway('plain');
    const client = await open(t, port);
    const headers = [
      bearer(stage.token),
      named('expect'),
      ['Expect', '100-continue'],
      ['Content-Length', '5'],
    ] as const;
    client.send(requestText({ method: 'PUT', target: '/bucket/a.txt', headers }));
    await client.arrived(25);
    t.match(client.unread.toString(), /^HTTP\/1\.1 100 /);
    client.send('hello');
    t.equal((await client.read())?.status, 200);
    t.equal(only(t, stage, 'expect')?.body.toString(), 'hello');
  },

  async 'telemetry in chunks that come one by one, with a trailer'(t, stage) {
    const { port } = await stage.gateway('plain');
    const client = await open(t, port);
    const headers = [
      bearer(stage.token),
      named('slow'),
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'X-Sum'],
    ] as const;
    client.send(requestText({ method: 'POST', target: '/v1/telemetry', headers }));
    for (let i = 0; i < 50; i++) client.send(`3\r\n${String(i).padStart(3, '0')}\r\n`);
    client.send('0\r\nX-Sum: 7\r\n\r\n');
    t.equal((await client.read())?.status, 200);
    t.equal(only(t, stage, 'slow')?.body.length, 150);
  },

  async 'a WebSocket with a token and a subprotocol'(t, stage) {
    const { port } = await stage.gateway('plain');
    const client = await open(t, port);
    const handshake: readonly Field[] = [
      ['Connection', 'keep-alive, Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Protocol', 'graphql-transport-ws, chat'],
    ];
    client.send(
      requestText({ target: '/v1/live?a=%2F', headers: [...handshake, bearer(stage.token), named('socket')] }),
    );
    t.equal((await client.read())?.status, 101);
    client.send('hello');
    await client.arrived(5);
    t.equal(client.unread.toString(), 'hello');
    const seen = only(t, stage, 'socket');
    for (const [name, value] of handshake.slice(2)) t.strictSame(seen?.all(name.toLowerCase()), [value], name);
  },

  async 'ten GETs in one write, answered in order'(t, stage) {
    const { port } = await stage.gateway('plain');
    const client = await open(t, port);
    const ids = Array.from({ length: 10 }, (_, index) => `pipelined-${index}`);
    client.send(
      Buffer.concat(ids.map((id) => requestText({ target: '/public/a', headers: [named(id), ['X-Request-Id', id]] }))),
    );
    for (const id of ids) t.equal((await client.read())?.status, 200, id);
    for (const id of ids) only(t, stage, id);
  },

  async 'requests of all kinds on one connection that stays'(t, stage) {
    const { port } = await stage.gateway('plain');
    const client = await open(t, port);
    for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'GET']) {
      const body = method.startsWith('P') ? 'x'.repeat(100_000) : undefined;
      const headers = [bearer(stage.token), named('kept')];
      client.send(requestText({ method, target: '/v1/a', headers, ...(body !== undefined && { body }) }));
      t.equal((await client.read({ method }))?.status, 200, method);
      t.equal(only(t, stage, 'kept')?.body.length, body?.length ?? 0, method);
    }
  },

  async 'Bearer in lower case'(t, stage) {
    const { port } = await stage.gateway('plain');
    const headers: readonly Field[] = [['authorization', `bearer ${stage.token}`], named('lower')];
    t.equal((await ask(port, requestText({ target: '/v1/a', headers }))).status, 200);
    t.strictSame(only(t, stage, 'lower')?.all('authorization'), []);
  },

  async 'a hundred clients behind one address'(t, stage) {
    const { port } = await stage.gateway('plain');
    const connections = await Promise.all(Array.from({ length: 100 }, () => open(t, port)));
    for (const [index, client] of connections.entries())
      client.send(
        requestText({
          method: 'POST',
          target: '/v1/a',
          headers: [bearer(stage.token), named(`nat-${index}`)],
          body: 'hello',
        }),
      );
    const answers = await Promise.all(connections.map((client) => client.read()));
    t.strictSame(new Set(answers.map((answer) => answer?.status)), new Set([200]));
    for (const index of connections.keys()) only(t, stage, `nat-${index}`);
  },

  async 'a cookie in pieces, over HTTP/2'(t, stage) {
    const { port } = await stage.gatewayHttp2('plain');
    const session = await http2Client(t, port);
    const headers = { ':path': '/public/a%40b?c=d', cookie: ['a=1', 'b="2"', 'c=3'], 'x-case': 'cookies' };
    t.equal((await askHttp2(session, headers)).status, 200);
    const seen = only(t, stage, 'cookies');
    t.equal(seen?.line, 'GET /public/a%40b?c=d HTTP/1.1');
    t.strictSame(seen?.all('cookie'), ['a=1; b="2"; c=3']);
    t.strictSame(seen?.all('host'), ['api.example.com']);
  },

  async 'uploads side by side, over HTTP/2'(t, stage) {
    const { port } = await stage.gatewayHttp2('plain');
    const session = await http2Client(t, port);
    const bodies = Array.from({ length: 50 }, (_, index) => String(index).repeat(2000));
    const authorization = `Bearer ${stage.token}`;
    const send = (body: string, index: number) =>
      askHttp2(
        session,
        { ':method': 'PUT', ':path': `/bucket/${index}`, authorization, 'x-case': `h2-${index}` },
        body,
      );
    const answers = await Promise.all(bodies.map(send));
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
    for (const [index, body] of bodies.entries()) t.equal(only(t, stage, `h2-${index}`)?.body.toString(), body);
  },
};
