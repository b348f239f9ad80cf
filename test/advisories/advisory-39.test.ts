import { createServer, type Server } from 'node:http';
import t, { type Test } from 'tap';
import { gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { hmacServer, jwt } from '../support/tokens.ts';

/** A server that answers with its letter and the request; undefined if the port is taken. */
async function letter(port: number, name: string): Promise<Server | undefined> {
  const server = createServer((request, response) => response.end(`${name} ${request.url}`));
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  return listens ? server : undefined;
}

/** Two servers. The port of one is the other's port followed by a 1. */
async function neighbours(t: Test): Promise<readonly [number, number]> {
  for (let port = 2100; port < 6500; port += 7) {
    const servers = [await letter(port, 'short'), await letter(port * 10 + 1, 'long')];
    t.teardown(() => {
      for (const server of servers) {
        server?.close();
        server?.closeAllConnections();
      }
    });
    if (servers.every((server) => server !== undefined)) return [port, port * 10 + 1];
  }
  throw new Error('no pair of free ports');
}

/** GHSA-v574-6498-x57v: an address cache confused `:3100` + `1/private` with `:31001` + `/private`. */
t.test('advisory 39: upstreams are never confused if address and path join to the same text', async (t) => {
  const [short, long] = await neighbours(t);
  const { port } = await gateway(t, {
    upstreams: { short: { url: `http://127.0.0.1:${short}` }, long: { url: `http://127.0.0.1:${long}` } },
    authorization_servers: hmacServer,
    routes: [
      { match: { path: '/1/{rest*}' }, access: 'public', upstream: 'short' },
      { match: { path: '/s/{rest*}' }, access: 'public', upstream: 'short', rewrite: { strip_prefix: '/s' } },
      { match: { path: '/{rest*}' }, scope: 'admin', upstream: 'long' },
    ],
  });
  const token = bearer(await jwt({ scope: 'admin' }, { alg: 'HS256' }));
  const says = async (target: string, headers: (readonly [string, string])[] = []) =>
    (await ask(port, requestText({ target, headers }))).body.toString();
  for (let round = 0; round < 5; round++) {
    t.equal(await says('/1/private'), 'short /1/private');
    t.equal(await says('/private', [token]), 'long /private');
    t.equal(await says('/s/1/private'), 'short /1/private');
    t.equal(await says('/s/private'), 'short /private');
    t.match(JSON.parse(await says('/private')), { status: 401 });
    t.match(JSON.parse(await says('1/private')), { status: 400 });
  }
});
