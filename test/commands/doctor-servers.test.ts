import { createServer as createHttp, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Verdict } from '../../src/commands/doctor/finding.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { operator, runService } from '../flows/operators.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { signingKey } from '../support/keys.ts';
import { serving } from '../support/serving.ts';
import { hmacServer } from '../support/tokens.ts';
import { userFile } from '../support/user-files.ts';
import { api, authorization, doctored, expectSeen, main, vector, withServer } from './doctored.ts';

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
    [main(issuer, { client_id: 'plain' }), 'revocation feed', 'doubtful', /not allowed to follow/],
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

t.test('a wrong secret is the only advice for a feed that refuses it', async (t) => {
  const { issuer } = await authorization(t);
  const found = await doctored(t, await withServer(t, main(issuer, { client_secret: other })));
  expectSeen(
    t,
    found,
    'authorization_servers.main revocation feed',
    'doubtful',
    /^not checked: the server rejects the credentials of the file$/,
  );
});

t.test('reports: the server can send logout tokens, and answers polls', async (t) => {
  const document: Record<string, unknown> = {};
  const asked: unknown[] = [];
  const issuer = await serving(
    t,
    createHttp(async (request, response) => {
      if (request.url === '/poll') asked.push(JSON.parse(await text(request)));
      if (request.headers.authorization === 'Bearer wrong') response.statusCode = 401;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    }),
  );
  const reports = (authorization: string) => ({
    verify: 'jwt',
    ...nobody,
    backchannel_logout: { audiences: ['shop'] },
    security_events: { audiences: ['https://gateway.example.com'], poll: { url: `${issuer}/poll`, authorization } },
  });
  const receiver = { listen: '127.0.0.1:0', file: 'received.jsonl' };
  const look = async (authorization: string) =>
    doctored(t, await withServer(t, main(issuer, reports(authorization)), { receiver }));
  const doubted = await look('Bearer wrong');
  expectSeen(t, doubted, 'authorization_servers.main logouts', 'doubtful', /no `backchannel_logout_supported`/);
  expectSeen(t, doubted, 'authorization_servers.main security events', 'bad', /HTTP 401/);
  document.backchannel_logout_supported = true;
  const found = await look('Bearer right');
  expectSeen(t, found, 'authorization_servers.main logouts', 'good', /can report them/);
  expectSeen(t, found, 'authorization_servers.main security events', 'good', /answers polls/);
  t.strictSame(
    asked,
    [1, 2].map(() => ({ maxEvents: 0, returnImmediately: true })),
    'no event is taken',
  );
  t.notOk(JSON.stringify(found).includes('follows no feed'));
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

t.test('operators: their server accepts the client of the console, with the secret of the file', async (t) => {
  const asked: { authorization: string | undefined; body: string }[] = [];
  let answer = { status: 400, body: '{"error":"invalid_grant"}' };
  const issuer: string = await serving(
    t,
    createHttp((incoming, response) => {
      if (incoming.url !== '/token') {
        const document = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
        return;
      }
      const { authorization } = incoming.headers;
      void text(incoming).then((body) => asked.push({ authorization, body }));
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    }),
  );
  const client = 'admin.access client console';
  const secretly = { authorization_server: 'main', client_id: 'console', client_secret: other };
  const { client_secret: _secret, ...publicly } = secretly;
  const rows: readonly (readonly [object, typeof answer, Verdict, RegExp])[] = [
    [
      secretly,
      { status: 400, body: '{"error":"invalid_grant"}' },
      'good',
      /^the server accepts the client's credentials/,
    ],
    [publicly, { status: 400, body: '{"error":"invalid_grant"}' }, 'good', /accepts the client without a secret/],
    [secretly, { status: 400, body: '{"error":"invalid_client"}' }, 'bad', /refuses the credentials of the client$/],
    [secretly, { status: 401, body: 'no' }, 'bad', /refuses the credentials of the client$/],
    [publicly, { status: 401, body: '{"error":"invalid_client"}' }, 'bad', /refuses the client without a secret$/],
    [secretly, { status: 400, body: '{"error":"unauthorized_client"}' }, 'bad', /does not allow codes for this client/],
    [
      secretly,
      { status: 200, body: '{"access_token":"hush"}' },
      'bad',
      /made-up code: http.* answers with status 200$/,
    ],
    [secretly, { status: 500, body: '{"error":"__proto__"}' }, 'doubtful', /status 500, which does not show/],
  ];
  for (const [access, given, verdict, words] of rows) {
    answer = given;
    const found = await doctored(t, await withServer(t, main(issuer), { admin: { listen: '127.0.0.1:9901', access } }));
    expectSeen(t, found, client, verdict, words);
    t.notMatch(JSON.stringify(found.findings), 'hush');
  }
  t.equal(asked[0]?.authorization, formatBasic('console', other));
  t.match(new URLSearchParams(asked[1]?.body).get('client_id'), 'console');
  t.match(new URLSearchParams(asked[0]?.body).get('redirect_uri'), 'http://127.0.0.1:9901/console/callback');
  t.equal(new Set(asked.map(({ body }) => new URLSearchParams(body).get('code'))).size, rows.length);
});

t.test('our service says whether it accepts the client of the console', async (t) => {
  const { issuer } = await runService(t);
  const look = async (client_secret: string) => {
    const access = { authorization_server: 'main', client_id: operator.id, client_secret };
    const admin = { listen: '127.0.0.1:9901', access };
    return doctored(t, await withServer(t, main(issuer), { development: true, admin }));
  };
  const client = `admin.access client ${operator.id}`;
  expectSeen(t, await look(other), client, 'bad', /refuses the credentials of the client$/);
  expectSeen(t, await look(operator.secret), client, 'good', /^the server accepts the client's credentials/);
});

t.test('replicas: each answers, accepts our credentials, and is another gateway', async (t) => {
  const port = await freePort();
  const users = userFile(t, `alice:${passwordHash('wonderland')}\n`);
  const tls = { cert: vector('server.crt'), key: vector('server.key') };
  const upstream = 'http://127.0.0.1:9';
  const open = async (admin: object | string) => (await gateway(t, behind(upstream, { admin }))).adminUrl ?? '';
  const plain = await open('127.0.0.1:0');
  const locked = await open({ listen: '127.0.0.1:0', access: { basic: { users } } });
  const secure = await open({ listen: '127.0.0.1:0', tls });
  const closed = await open({ listen: '127.0.0.1:0', console: false });
  const elsewhere = await api(t);
  const own = await open(`127.0.0.1:${port}`);
  const asAlice = (password: string) => ({ url: locked, username: 'alice', password });
  const rows: readonly (readonly [{ url: string }, Verdict, RegExp])[] = [
    [{ url: plain }, 'good', /:\d+ answers$/],
    [asAlice('wonderland'), 'good', /answers$/],
    [asAlice('guess'), 'bad', /^the listener refuses our credentials$/],
    [{ url: locked }, 'bad', /^the listener requires a login$/],
    [{ url: secure }, 'bad', /^no answer: UNABLE_TO_VERIFY/],
    [{ url: secure, ...{ tls: { ca: vector('authority.crt') } } }, 'good', /answers$/],
    [{ url: closed }, 'bad', /^no console answers there$/],
    [{ url: elsewhere }, 'bad', /not a gateway with a console$/],
    [{ url: `http://127.0.0.1:${await freePort()}` }, 'bad', /^no answer: ECONNREFUSED$/],
    [{ url: own }, 'doubtful', /^this is the gateway itself/],
    [{ url: own.replace('127.0.0.1', 'localhost') }, 'doubtful', /^this is the gateway itself/],
  ];
  const replicas = rows.map(([replica]) => replica);
  const file = await withServer(t, hmacServer.main, { admin: { listen: `127.0.0.1:${port}`, replicas } });
  const found = await doctored(t, file);
  for (const [index, [{ url }, verdict, words]] of rows.entries())
    expectSeen(t, found, `admin.replicas[${index}] ${url}`, verdict, words);
  t.notMatch(JSON.stringify(found.findings), 'wonderland');
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
  const words = new RegExp(`status 302: the gateway does not follow the redirect to ${elsewhere}$`);
  const rows: readonly (readonly [object, string])[] = [
    [main(moved), 'metadata'],
    [main(issuer, { jwks_uri: `${moved}/jwks` }), 'keys'],
    [main(issuer, { introspection_endpoint: `${moved}/introspect` }), 'introspection'],
    [main(issuer, { events: `${moved}/events` }), 'revocation feed'],
  ];
  for (const [server, about] of rows) {
    const found = await doctored(t, await withServer(t, server));
    expectSeen(t, found, `authorization_servers.main ${about}`, 'bad', words);
    t.match(JSON.stringify(found.findings), /if you trust the target of the redirect, write its address instead/);
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

t.test('a key for encryption and a missing Date field are no reason to act', async (t) => {
  const { issuer } = await authorization(t);
  const { jwk } = await signingKey('RS256');
  const asKeycloak: RequestListener = async (_request, response) => {
    response.sendDate = false;
    const { keys } = (await (await fetch(`${issuer}/oauth2/jwks`)).json()) as { readonly keys: readonly object[] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [...keys, { ...jwk, alg: 'RSA-OAEP', use: 'enc' }] }));
  };
  const jwks_uri = await serving(t, createHttp(asKeycloak));
  const found = await doctored(t, await withServer(t, main(issuer, { jwks_uri })));
  expectSeen(t, found, 'authorization_servers.main clock', 'good', /sends no Date field/);
  const keys = found.findings.filter(({ about }) => about.startsWith('authorization_servers.main keys'));
  t.match(keys, [{ verdict: 'good' }]);
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
