import { createServer as createHttp, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { holdsOnce } from '../faults/support/rounds.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { serving } from '../support/serving.ts';
import { authorization, doctored, expectSeen, main, withServer } from './doctored.ts';

t.setTimeout(600_000);

const nobody = { client_id: undefined, client_secret: undefined };
const other = 'cs_another-secret-of-32-bytes-or-more';

t.test('authorization servers: each thing that the gateway asks of one', async (t) => {
  const { issuer, port } = await authorization(t);
  const empty = await serving(
    t,
    createHttp((_request, response) => response.end('{}')),
  );
  const rows: readonly (readonly [object, string, 'bad' | 'doubtful', RegExp])[] = [
    [main(`http://localhost:${port}`), 'metadata', 'bad', /names the issuer/],
    [main(`http://127.0.0.1:${await freePort()}`), 'metadata', 'bad', /ECONNREFUSED/],
    [main(issuer, { algorithms: ['EdDSA'] }), 'keys', 'bad', /fits no accepted algorithm/],
    [main(issuer, { jwks_uri: empty }), 'keys', 'bad', /not a key set/],
    [main(issuer, { client_secret: other }), 'introspection', 'bad', /refuses our credentials: status 401/],
    [main(issuer, { introspection_endpoint: empty }), 'introspection', 'bad', /not of type JSON|no active member/],
    [main(issuer, nobody), 'introspection', 'doubtful', /no client_id to ask it: opaque tokens get 401/],
    [main(issuer, { client_id: 'plain' }), 'revocation feed', 'doubtful', /may not follow/],
    [main(issuer, { events: `${empty}/events` }), 'revocation feed', 'bad', /no event stream/],
  ];
  await Promise.all(
    rows.map(async ([server, about, verdict, words]) => {
      const found = await doctored(t, await withServer(t, server));
      expectSeen(t, found, `authorization_servers.main ${about}`, verdict, words);
      t.equal(found.status, verdict === 'bad' ? 1 : 0, `${about}: exit status`);
    }),
  );
});

t.test('a server that is never to be asked about tokens lacks no client', async (t) => {
  const { issuer } = await authorization(t);
  const found = await doctored(t, await withServer(t, main(issuer, { ...nobody, verify: 'jwt' })));
  t.strictSame(found.about('authorization_servers.main introspection'), []);
});

t.test('an endpoint that calls any token active is bad', async (t) => {
  const { issuer } = await authorization(t);
  const yes: RequestListener = (_request, response) =>
    void response.setHeader('content-type', 'application/json').end('{"active":true}');
  const introspection_endpoint = await serving(t, createHttp(yes));
  const found = await doctored(t, await withServer(t, main(issuer, { introspection_endpoint })));
  expectSeen(t, found, 'authorization_servers.main introspection', 'bad', /calls a token active that was made up/);
});

t.test('a server whose clock is an hour ahead is bad, as its tokens would be', async (t) => {
  const { issuer } = await authorization(t);
  const late: RequestListener = async (request, response) => {
    const { status, headers, body } = await fetch(`${issuer}${request.url}`);
    response.writeHead(status, {
      ...Object.fromEntries(headers),
      date: new Date(Date.now() + 3_600_000).toUTCString(),
    });
    response.end(body === null ? '' : Buffer.from(await new Response(body).arrayBuffer()));
  };
  const jwks_uri = `${await serving(t, createHttp(late))}/oauth2/jwks`;
  const found = await doctored(t, await withServer(t, main(issuer, { jwks_uri })));
  expectSeen(t, found, 'authorization_servers.main clock', 'bad', /^its clock is 3\d\d\d\.\d s ahead of ours/);
  expectSeen(t, found, 'authorization_servers.main keys', 'good', /usable/);
});

t.test('what does not answer is told after 3 s, and holds nothing else up', async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const file = await withServer(t, main(`http://127.0.0.1:${port}`));
  await holdsOnce(t, 'once 3 s for all of it', async () => {
    const quick = performance.now();
    await command(t, ['doctor', '--help']).ended();
    const from = performance.now();
    const found = await doctored(t, file);
    const took = performance.now() - from - (from - quick);
    expectSeen(t, found, 'authorization_servers.main metadata', 'bad', /^no answer within 3 s$/);
    expectSeen(t, found, 'upstreams.api', 'good', /^connects$/);
    return { held: took < 6000, met: `all of it took ${Math.round(took)} ms more than the help` };
  });
});
