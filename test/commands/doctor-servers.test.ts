import { createServer as createHttp, type RequestListener } from 'node:http';
import t from 'tap';
import type { Verdict } from '../../src/commands/doctor/finding.ts';
import { freePort } from '../support/free-port.ts';
import { serving } from '../support/serving.ts';
import { authorization, doctored, expectSeen, main, withServer } from './doctored.ts';

/** Waits for servers that do not answer: 21 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const nobody = { client_id: undefined, client_secret: undefined };
const other = 'cs_another-secret-of-32-bytes-or-more';

t.test('authorization servers: each thing that the gateway needs from one', async (t) => {
  const { issuer, port } = await authorization(t);
  const empty = await serving(
    t,
    createHttp((_request, response) => response.end('{}')),
  );
  const rows: readonly (readonly [object, string, Verdict, RegExp])[] = [
    [main(`http://localhost:${port}`), 'metadata', 'bad', /names the issuer/],
    [main(`http://127.0.0.1:${await freePort()}`), 'metadata', 'bad', /ECONNREFUSED/],
    [main(issuer, { algorithms: ['EdDSA'] }), 'keys', 'bad', /matches no accepted algorithm/],
    [main(issuer, { jwks_uri: empty }), 'keys', 'bad', /not a key set/],
    [main(issuer, { client_secret: other }), 'introspection', 'bad', /refuses our credentials: status 401/],
    [main(issuer, { introspection_endpoint: empty }), 'introspection', 'bad', /not of type JSON|no active member/],
    [main(issuer, nobody), 'introspection', 'doubtful', /no client_id for it: opaque tokens get 401/],
    [main(issuer, { client_id: 'plain' }), 'revocation feed', 'doubtful', /may not follow/],
    [main(issuer, { events: `${empty}/events` }), 'revocation feed', 'bad', /not an event stream/],
    [
      main(issuer, nobody),
      'revocation feed',
      'good',
      /the gateway follows no feed: revoked JWTs pass until their `exp`/,
    ],
  ];
  await Promise.all(
    rows.map(async ([server, about, verdict, words]) => {
      const found = await doctored(t, await withServer(t, server));
      expectSeen(t, found, `authorization_servers.main ${about}`, verdict, words);
      t.equal(found.status, verdict === 'bad' ? 1 : 0, `${about}: exit status`);
    }),
  );
});

t.test('operators: their server has what a login needs', async (t) => {
  let document = {};
  const answer: RequestListener = (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  const issuer = await serving(t, createHttp(answer));
  const access = { authorization_server: 'main', client_id: 'console' };
  const look = async () =>
    doctored(t, await withServer(t, main(issuer), { admin: { listen: '127.0.0.1:9901', access } }));
  document = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  const words = /client console has the redirect address http:\/\/127.0.0.1:9901\/console\/callback and the scope gate/;
  expectSeen(t, await look(), 'admin.access login', 'good', words);
  document = { issuer, token_endpoint: `${issuer}/token` };
  expectSeen(t, await look(), 'admin.access login', 'bad', /^metadata has no authorization_endpoint$/);
  document = { issuer: 'https://other.example.com' };
  expectSeen(t, await look(), 'admin.access login', 'bad', /names the issuer/);
});

t.test('a server that redirects is reported with the target, which gets no request', async (t) => {
  const { issuer } = await authorization(t);
  const asked: string[] = [];
  const elsewhere = await serving(
    t,
    createHttp(({ url = '' }, response) => {
      asked.push(url);
      response.end('{}');
    }),
  );
  const redirect: RequestListener = ({ url }, response) =>
    void response.writeHead(302, { location: `${elsewhere}${url}?code=hush` }).end();
  const moved = await serving(t, createHttp(redirect));
  const words = new RegExp(`status 302, a redirect that is not followed, to ${elsewhere}$`);
  const rows: readonly (readonly [object, string])[] = [
    [main(moved), 'metadata'],
    [main(issuer, { jwks_uri: `${moved}/jwks` }), 'keys'],
    [main(issuer, { introspection_endpoint: `${moved}/introspect` }), 'introspection'],
    [main(issuer, { events: `${moved}/events` }), 'revocation feed'],
  ];
  for (const [server, about] of rows) {
    const found = await doctored(t, await withServer(t, server));
    expectSeen(t, found, `authorization_servers.main ${about}`, 'bad', words);
    t.match(JSON.stringify(found.findings), /write the address of the redirect/);
    t.notMatch(JSON.stringify(found.findings), 'hush');
  }
  t.strictSame(asked, []);
});

t.test('a server that is never used for introspection needs no client', async (t) => {
  const { issuer } = await authorization(t);
  const found = await doctored(t, await withServer(t, main(issuer, { ...nobody, verify: 'jwt' })));
  t.strictSame(found.about('authorization_servers.main introspection'), []);
});

t.test('an endpoint that reports every token as active is an error', async (t) => {
  const { issuer } = await authorization(t);
  const yes: RequestListener = (_request, response) =>
    void response.setHeader('content-type', 'application/json').end('{"active":true}');
  const introspection_endpoint = await serving(t, createHttp(yes));
  const found = await doctored(t, await withServer(t, main(issuer, { introspection_endpoint })));
  expectSeen(t, found, 'authorization_servers.main introspection', 'bad', /reports an invented token as active/);
});

t.test('a server whose clock is an hour ahead is an error, as its tokens would be', async (t) => {
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
