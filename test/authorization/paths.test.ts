import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { run } from './running-service.ts';

/** The path as written, which `fetch` does not guarantee. */
async function statusOf(url: string, target: string, method = 'GET'): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(`${method} ${target} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
  return Number((await text(socket)).split(' ')[1]);
}

t.test('a path is served only in the spelling that is documented', async (t) => {
  const { url } = await run(t);
  const plain = await run(t, { config: { issuer: 'http://localhost:8081/tenant' } });
  for (const [there, path, status] of [
    [url, '/oauth2/jwks', 200],
    [url, '/oauth2/jwks?x=%74', 200],
    [url, `${url}/oauth2/jwks`, 200],
    [url, '/oauth2/%6awks', 404],
    [url, '/%6fauth2/jwks', 404],
    [url, `${url}/oauth2/%6awks`, 404],
    [url, '/oauth2%2fjwks', 404],
    [url, '/oauth2/jwks/', 404],
    [url, '/oauth2//jwks', 404],
    [url, '/oauth2/x/../jwks', 404],
    [url, '/oauth2/JWKS', 404],
    [plain.url, '/tenant/oauth2/jwks', 200],
    [plain.url, '/t%65nant/oauth2/jwks', 404],
    [url, `/oauth2/k%65ys/${'A'.repeat(22)}`, 404],
  ] as const)
    t.equal(await statusOf(there, path), status, path);
  for (const [method, path, status] of [
    ['POST', '/oauth2/%74oken', 404],
    ['POST', '/oauth2/token', 400],
    ['GET', '/oauth2/token', 405],
    ['OPTIONS', '/oauth2/%6awks', 404],
    ['OPTIONS', '/oauth2/jwks', 204],
    ['HEAD', '/oauth2/%6awks', 404],
  ] as const)
    t.equal(await statusOf(url, path, method), status, `${method} ${path}`);
});
