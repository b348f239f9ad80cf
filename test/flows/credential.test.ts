import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { active, authorizationServer } from '../support/tokens.ts';
import { type Witness, witness } from '../support/witness.ts';

const token = 'at_opaque-token_of.the~kind+that/is=';
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const routes = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'optional', match: { path: '/optional/{rest*}' }, access: 'optional' },
  { id: 'header', match: { path: '/header/{rest*}' }, scope: 'orders.read' },
  {
    id: 'all',
    match: { path: '/all/{rest*}' },
    scope: 'orders.read',
    bearer_methods_supported: ['header', 'body', 'query'],
  },
  {
    id: 'keep',
    match: { path: '/keep/{rest*}' },
    scope: 'orders.read',
    bearer_methods_supported: ['header', 'body', 'query'],
    forward_credential: true,
  },
];

interface Bench {
  readonly port: number;
  readonly upstream: Witness;
  send(request: RequestText): Promise<RawResponse>;
}

async function bench(t: Test, changes: object = {}): Promise<Bench> {
  const upstream = await witness(t, {
    headers: [
      ['Content-Type', 'text/plain'],
      ['Cache-Control', 'public, max-age=60'],
    ],
  });
  const server = await authorizationServer(t);
  server.tokens.set(token, active('orders.read'));
  const { port } = await gateway(t, behind(upstream.url, { authorization_servers: server.config, routes, ...changes }));
  return { port, upstream, send: (request) => ask(port, requestText(request), { method: request.method ?? 'GET' }) };
}

function challenge(response: RawResponse): string | undefined {
  return response.header('www-authenticate');
}

const missing = 'Bearer realm="api", scope="orders.read"';

function assertRefused(t: Test, response: RawResponse, status: number, code: string, title: string): void {
  t.equal(response.status, status, title);
  t.match(JSON.parse(response.body.toString()), { status, code }, title);
}

// Semantics 6: the exact words of the challenges.

t.test('no credential: 401 with realm and scope, and no error', async (t) => {
  const { send } = await bench(t);
  const response = await send({ target: '/header/a' });
  assertRefused(t, response, 401, 'credential_missing', 'nothing');
  t.equal(challenge(response), missing);
});

t.test('a malformed credential: 400 invalid_request', async (t) => {
  const { send, upstream } = await bench(t);
  const malformed = [
    'Bearer',
    'Bearer ',
    `Bearer ${token} ${token}`,
    `Bearer ${token},`,
    `Bearer "${token}"`,
    'Bearer a b',
    'Bearer =',
    'Bearer ==a',
    'Bearer a=b',
    'bearer é',
    'Bearer\ta',
    `Bearer ${token}, Basic eDp5`,
  ];
  for (const value of malformed) {
    const response = await send({ target: '/header/a', headers: [['Authorization', value]] });
    assertRefused(t, response, 400, 'credential_malformed', JSON.stringify(value));
    t.equal(
      challenge(response),
      'Bearer realm="api", error="invalid_request", error_description="The access token does not have the form that RFC 6750 requires."',
    );
  }
  t.equal(upstream.seen.length, 0);
});

t.test('a well-formed token that is not valid: 401 invalid_token', async (t) => {
  const { send } = await bench(t);
  const response = await send({ target: '/header/a', headers: [bearer('unknown')] });
  assertRefused(t, response, 401, 'token_inactive', 'unknown');
  t.equal(
    challenge(response),
    'Bearer realm="api", error="invalid_token", error_description="The access token is unknown, expired or revoked."',
  );
});

t.test('a realm with quotes is quoted in the challenge', async (t) => {
  const { send } = await bench(t, { realm: 'my "own" \\ realm' });
  t.equal(
    challenge(await send({ target: '/header/a' })),
    'Bearer realm="my \\"own\\" \\\\ realm", scope="orders.read"',
  );
});

t.test(
  'a refusal is problem JSON that is never cached, with status, code, detail and request id, and HEAD has no body',
  async (t) => {
    const { send } = await bench(t);
    const response = await send({ target: '/header/a' });
    t.equal(response.header('content-type'), 'application/problem+json');
    t.equal(response.header('cache-control'), 'no-store');
    const problem = JSON.parse(response.body.toString());
    t.match(problem, {
      status: 401,
      code: 'credential_missing',
      detail: String,
      request_id: response.header('x-request-id') as string,
    });
    const head = await send({ method: 'HEAD', target: '/header/a' });
    t.equal(head.status, 401);
    t.equal(head.body.length, 0);
    t.equal(challenge(head), missing);
  },
);

// Semantics 3: exactly one credential, in one place.

t.test('the scheme is compared without case, and several spaces may follow it', async (t) => {
  const { send, upstream } = await bench(t);
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    for (const value of [`${scheme} ${token}`, `${scheme}   ${token}`, ` ${scheme} ${token} `]) {
      t.equal((await send({ target: '/header/a', headers: [['Authorization', value]] })).status, 200, value);
    }
  }
  t.same(
    upstream.seen.flatMap(({ all }) => all('authorization')),
    [],
  );
});

t.test('another scheme is not a credential', async (t) => {
  const { send } = await bench(t);
  for (const value of [
    'Basic eDp5',
    'Digest username="x"',
    'Bearertoken',
    'Bearerx abc',
    'Token abc',
    'Negotiate',
    '',
    'é',
  ]) {
    const response = await send({ target: '/header/a', headers: [['Authorization', value]] });
    assertRefused(t, response, 401, 'credential_missing', JSON.stringify(value));
    t.equal(challenge(response), missing);
  }
});

t.test('two Authorization headers are 400, even if equal, whatever their schemes (advisory 56, 57)', async (t) => {
  const { send, upstream } = await bench(t);
  const pairs = [
    [`Bearer ${token}`, `Bearer ${token}`],
    [`Bearer ${token}`, 'Bearer other'],
    [`Bearer ${token}`, 'Basic eDp5'],
    ['Basic eDp5', `Bearer ${token}`],
    ['', `Bearer ${token}`],
  ];
  for (const [first = '', second = ''] of pairs) {
    const response = await send({
      target: '/header/a',
      headers: [
        ['Authorization', first],
        ['authorization', second],
      ],
    });
    assertRefused(t, response, 400, 'credential_repeated', `${first} | ${second}`);
    t.match(challenge(response), /error="invalid_request"/);
  }
  t.equal(upstream.seen.length, 0);
});

t.test('tokens in two places are 400, even if the route lists only one of them', async (t) => {
  const { send, upstream } = await bench(t);
  const encoded = encodeURIComponent(token);
  const twice: RequestText[] = [
    { target: `/all/a?access_token=${encoded}`, headers: [bearer(token)] },
    { target: `/header/a?access_token=${encoded}`, headers: [bearer(token)] },
    { target: '/header/a?access_token=', headers: [bearer(token)] },
    { target: `/all/a?access_token=${encoded}&access_token=${encoded}` },
    { target: `/all/a?access_token=${encoded}&b=c&access_token=other` },
    { target: `/all/a?access_token=${encoded}&%61ccess_token=${encoded}` },
    { method: 'POST', target: '/all/a', headers: [form, bearer(token)], body: `access_token=${encoded}` },
    { method: 'POST', target: `/all/a?access_token=${encoded}`, headers: [form], body: `access_token=${encoded}` },
    { method: 'POST', target: '/all/a', headers: [form], body: `access_token=${encoded}&access_token=${encoded}` },
    { method: 'POST', target: '/all/a', headers: [form], body: `access_token=${encoded}&a=1&access%5Ftoken=x` },
  ];
  for (const request of twice)
    assertRefused(t, await send(request), 400, 'credential_repeated', `${request.target} ${request.body ?? ''}`);
  t.equal(upstream.seen.length, 0);
});

t.test('a token in a place that the route does not list does not count', async (t) => {
  const { send, upstream } = await bench(t);
  const encoded = encodeURIComponent(token);
  assertRefused(t, await send({ target: `/header/a?access_token=${encoded}` }), 401, 'credential_missing', 'query');
  assertRefused(
    t,
    await send({ method: 'POST', target: '/header/a', headers: [form], body: `access_token=${encoded}` }),
    401,
    'credential_missing',
    'body',
  );
  t.equal(upstream.seen.length, 0);
});

t.test('on a public route nothing is extracted: header, query and body pass unchanged', async (t) => {
  const { send, upstream } = await bench(t);
  const body = 'access_token=x&access_token=y';
  const target = '/public/a?access_token=z&access_token=z';
  const response = await send({
    method: 'POST',
    target,
    headers: [form, ['Authorization', 'Bearer not even =wellformed=']],
    body,
  });
  t.equal(response.status, 200);
  t.equal(response.header('cache-control'), 'public, max-age=60');
  t.match(upstream.seen[0], { target, body: Buffer.from(body) });
  t.equal(upstream.seen[0]?.header('authorization'), 'Bearer not even =wellformed=');
});

t.test('on an optional route a request without a credential passes, a good token too, a bad one is 401', async (t) => {
  const { send, upstream } = await bench(t);
  t.equal((await send({ target: '/optional/a' })).status, 200);
  t.same(upstream.seen[0]?.all('x-auth-subject'), []);
  t.equal((await send({ target: '/optional/a', headers: [bearer(token)] })).status, 200);
  t.same(upstream.seen[1]?.all('x-auth-subject'), ['alice']);
  t.equal((await send({ target: '/optional/a', headers: [bearer('bad')] })).status, 401);
  t.equal((await send({ target: '/optional/a', headers: [['Authorization', 'Bearer =']] })).status, 400);
  t.equal(upstream.seen.length, 2);
});

// The query.

t.test('a token is removed from the query at any position, and the rest arrives byte-equal', async (t) => {
  const { send, upstream } = await bench(t);
  const encoded = encodeURIComponent(token);
  const places = {
    [`?access_token=${encoded}`]: '',
    [`?access_token=${encoded}&a=1&b=%20+%2f`]: '?a=1&b=%20+%2f',
    [`?a=1&access_token=${encoded}`]: '?a=1',
    [`?a=1&access_token=${encoded}&b=2`]: '?a=1&b=2',
    [`?a=1&%61ccess%5ftoken=${encoded}&b=2`]: '?a=1&b=2',
    [`?a&&access_token=${encoded}&=&b=?/;x`]: '?a&&=&b=?/;x',
    [`?access_tokens=1&access_token=${encoded}&xaccess_token=2`]: '?access_tokens=1&xaccess_token=2',
  };
  for (const [query, left] of Object.entries(places)) {
    const response = await send({ target: `/all/a${query}` });
    t.equal(response.status, 200, query);
    t.equal(upstream.seen.pop()?.target, `/all/a${left}`, query);
  }
});

t.test(
  'the answer to a token in the query is private (RFC 6750 §2.3); to one in the header it is as the upstream says',
  async (t) => {
    const { send } = await bench(t);
    const query = await send({ target: `/all/a?access_token=${encodeURIComponent(token)}` });
    t.match(query.header('cache-control'), /^private/);
    t.notMatch(query.header('cache-control'), /public/);
    t.equal((await send({ target: '/all/a', headers: [bearer(token)] })).header('cache-control'), 'public, max-age=60');
  },
);

t.test('a token in the query is checked like one in the header', async (t) => {
  const { send } = await bench(t);
  assertRefused(t, await send({ target: '/all/a?access_token=bad' }), 401, 'token_inactive', 'unknown');
  assertRefused(t, await send({ target: '/all/a?access_token=a%20b' }), 400, 'credential_malformed', 'a space');
  assertRefused(t, await send({ target: '/all/a?access_token=' }), 400, 'credential_malformed', 'empty');
  assertRefused(t, await send({ target: '/all/a?access_token' }), 400, 'credential_malformed', 'no value');
});

// The form body.

t.test('a token is removed from the form, the length corrected, and digests of the body dropped', async (t) => {
  const { send, upstream } = await bench(t);
  const encoded = encodeURIComponent(token);
  const forms = {
    [`access_token=${encoded}`]: '',
    [`a=1&access_token=${encoded}&b=%C3%A4+x`]: 'a=1&b=%C3%A4+x',
    [`a=1&%61ccess_token=${encoded}`]: 'a=1',
  };
  for (const [body, left] of Object.entries(forms)) {
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    const headers = [
      form,
      ['Content-Digest', digest],
      ['Repr-Digest', digest],
      ['Digest', digest],
      ['Content-MD5', 'x'],
      ['X-End', '1'],
    ] as const;
    t.equal((await send({ method: 'POST', target: '/all/a', headers, body })).status, 200, body);
    const seen = upstream.seen.pop();
    t.equal(seen?.body.toString(), left, body);
    t.equal(seen?.header('content-length'), String(left.length));
    t.same(
      ['content-digest', 'repr-digest', 'digest', 'content-md5'].flatMap((name) => seen?.all(name) ?? []),
      [],
    );
    t.equal(seen?.header('x-end'), '1');
    t.equal(seen?.header('content-type'), form[1]);
  }
});

t.test('a form whose token is in the header arrives unchanged, including digests', async (t) => {
  const { send, upstream } = await bench(t);
  const headers = [form, bearer(token), ['Content-Digest', 'sha-256=:x:']] as const;
  t.equal((await send({ method: 'POST', target: '/all/a', headers, body: 'a=1&b=2' })).status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'a=1&b=2');
  t.equal(upstream.seen[0]?.header('content-digest'), 'sha-256=:x:');
});

t.test('a chunked form is read as any other', async (t) => {
  const { port, upstream } = await bench(t);
  const part = `a=1&access_token=${encodeURIComponent(token)}`;
  const body = `${part.length.toString(16)}\r\n${part}\r\n4\r\n&b=2\r\n0\r\n\r\n`;
  const head = requestText({ method: 'POST', target: '/all/a', headers: [form, ['Transfer-Encoding', 'chunked']] });
  t.equal((await ask(port, Buffer.concat([head, Buffer.from(body)]))).status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'a=1&b=2');
  t.equal(upstream.seen[0]?.header('content-length'), '7');
  t.same(upstream.seen[0]?.all('transfer-encoding'), []);
});

const formTypes: Readonly<Record<string, boolean>> = {
  'application/x-www-form-urlencoded': true,
  'Application/X-WWW-Form-UrlEncoded': true,
  'application/x-www-form-urlencoded; charset=utf-8': true,
  'application/x-www-form-urlencoded;charset=UTF-8': true,
  'application/x-www-form-urlencoded; charset="utf-8"': true,
  'application/x-www-form-urlencoded ; charset=utf-8': true,
  'application/x-www-form-urlencoded; charset=utf-16': false,
  'application/x-www-form-urlencoded; charset=utf-7': false,
  'application/x-www-form-urlencodedx': false,
  'application/x-www-form-urlencoded, text/plain': false,
  'application/x-www-form-urlencoded/': false,
  'application /x-www-form-urlencoded': false,
  'application/ x-www-form-urlencoded': false,
  'x-www-form-urlencoded': false,
  '"application/x-www-form-urlencoded"': false,
  'multipart/form-data; boundary=x': false,
  'multipart/form-data; boundary=application/x-www-form-urlencoded': false,
  'application/json': false,
  'application/json; a=application/x-www-form-urlencoded': false,
  'text/plain': false,
  'text/plain; application/x-www-form-urlencoded': false,
  'application/x-www-form-urlencoded\u00a0': false,
  'application/x-www-form-urlencoded\u000b': false,
  garbage: false,
  '': false,
  ';': false,
  '/': false,
  'a/b/c': false,
};

t.test(
  "advisory 44: only bodies with a form's media type are read; any other body passes and is not a credential",
  async (t) => {
    const { send, upstream } = await bench(t);
    const body = `access_token=${encodeURIComponent(token)}`;
    for (const [type, isForm] of Object.entries(formTypes)) {
      const response = await send({ method: 'POST', target: '/all/a', headers: [['Content-Type', type]], body });
      const refused = type.includes('\u000b') ? 400 : 401;
      t.equal(response.status, isForm ? 200 : refused, JSON.stringify(type));
      t.equal(
        response.header('content-type'),
        isForm ? 'text/plain' : 'application/problem+json',
        'the answer is the gateway’s own, whatever the framework thinks of the type',
      );
    }
    t.ok(
      upstream.seen.every((seen) => seen.body.length === 0),
      'a token never arrives',
    );
  },
);

t.test('a body of any type, even a malformed type, passes with its own bytes (advisory 41)', async (t) => {
  const { send, upstream } = await bench(t);
  for (const type of Object.keys(formTypes).filter((type) => !type.includes('\u000b'))) {
    const body = '{"a": [1, 2,   3]}';
    t.equal(
      (await send({ method: 'POST', target: '/public/a', headers: [['Content-Type', type]], body })).status,
      200,
      type,
    );
    const seen = upstream.seen.pop();
    t.equal(seen?.body.toString(), body);
    t.equal(seen?.header('content-type'), type.replace(/^[ \t]+|[ \t]+$/g, ''));
  }
});

t.test('with two Content-Types, or with a Content-Encoding, a form is not read', async (t) => {
  const { send } = await bench(t);
  const body = `access_token=${encodeURIComponent(token)}`;
  for (const extra of [
    ['Content-Type', 'text/plain'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
    ['content-encoding', ''],
  ] as const) {
    const response = await send({ method: 'POST', target: '/all/a', headers: [form, extra], body });
    t.equal(response.status, 401, extra.join(': '));
  }
});

t.test('a form is never read with GET or HEAD', async (t) => {
  const { send } = await bench(t);
  const body = `access_token=${encodeURIComponent(token)}`;
  for (const method of ['GET', 'HEAD'])
    t.equal((await send({ method, target: '/all/a', headers: [form], body })).status, 401, method);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    t.equal((await send({ method, target: '/all/a', headers: [form], body })).status, 200, method);
});

t.test('a form larger than form_body is 413 only where bodies are read', async (t) => {
  const { send, upstream } = await bench(t, { limits: { form_body: '1KiB' } });
  const body = `a=${'x'.repeat(1100)}`;
  assertRefused(
    t,
    await send({ method: 'POST', target: '/all/a', headers: [form, bearer(token)], body }),
    413,
    'form_too_large',
    'a form',
  );
  t.equal((await send({ method: 'POST', target: '/header/a', headers: [form, bearer(token)], body })).status, 200);
  t.equal(
    (
      await send({
        method: 'POST',
        target: '/all/a',
        headers: [['Content-Type', 'application/json'], bearer(token)],
        body,
      })
    ).status,
    200,
  );
  t.equal((await send({ method: 'GET', target: '/all/a', headers: [form, bearer(token)], body })).status, 200);
  t.equal(upstream.seen.length, 3);
});

t.test('if the route forwards credentials, query and form keep theirs', async (t) => {
  const { send, upstream } = await bench(t);
  const encoded = encodeURIComponent(token);
  t.equal((await send({ target: `/keep/a?access_token=${encoded}&b=1` })).status, 200);
  t.equal(upstream.seen.pop()?.target, `/keep/a?access_token=${encoded}&b=1`);
  t.equal(
    (await send({ method: 'POST', target: '/keep/a', headers: [form], body: `a=1&access_token=${encoded}` })).status,
    200,
  );
  t.equal(upstream.seen.pop()?.body.toString(), `a=1&access_token=${encoded}`);
});

t.test('advisory 31: a token is in no log line, wherever it was sent', async (t) => {
  const upstream = await witness(t);
  const server = await authorizationServer(t);
  server.tokens.set('at_secret-in-the-log', active('orders.read'));
  const running = await gateway(t, behind(upstream.url, { authorization_servers: server.config, routes }));
  const secret = 'at_secret-in-the-log';
  const requests: RequestText[] = [
    { target: '/all/a', headers: [bearer(secret)] },
    { target: `/all/a?access_token=${secret}&b=c` },
    { target: `/header/a?access_token=${secret}` },
    { target: `/all/%00?access_token=${secret}` },
    { target: `/public/a?access_token=${secret}` },
    { target: `/nowhere?access_token=${secret}` },
    { method: 'POST', target: '/all/a', headers: [form], body: `access_token=${secret}` },
    { target: '/all/a', headers: [bearer(secret), bearer(secret)] },
  ];
  for (const request of requests) await ask(running.port, requestText(request));
  t.ok(running.log.length >= requests.length, 'each left a line');
  t.notMatch(JSON.stringify(running.log), new RegExp(secret));
});
