import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { serving } from '../support/serving.ts';
import { doctored, main, withServer } from './doctored.ts';

const says =
  (status: number, type: string, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const FAILS = 'the authorization server itself fails: read its log, and its /readyz if it has one';
const json = 'application/json';

async function seen(t: Test, about: string, server: object) {
  const { findings } = await doctored(t, await withServer(t, main('http://127.0.0.1:9', server)));
  return findings.filter((each) => each.about.startsWith(`authorization_servers.main ${about}`));
}

t.test('metadata: the remedy fits the fault, and the URL occurs once', async (t) => {
  const elsewhere = JSON.stringify({ issuer: 'https://other.example.com' });
  const correct = 'correct `issuer`, or write `jwks_uri` and `introspection_endpoint` into the file';
  const rows: readonly (readonly [RequestListener, message: RegExp, remedy: string])[] = [
    [says(500, json, '{}'), /^http:\S+: status 500$/, FAILS],
    [says(404, json, '{}'), /^http:\S+: status 404$/, correct],
    [
      says(200, 'text/html', '<p>hello'),
      /^http:\S+: the answer is not of type JSON$/,
      `this is not the document of an authorization server: ${correct}`,
    ],
    [
      says(200, json, elsewhere),
      /names the issuer/,
      'the `issuer` of the answer must be equal to `issuer` in the file, byte by byte: correct the one that is wrong',
    ],
  ];
  for (const [listener, message, remedy] of rows) {
    const issuer = await serving(t, createServer(listener));
    t.match(await seen(t, 'metadata', { issuer }), [{ verdict: 'bad', message, remedy }]);
  }
});

t.test('keys: one fault, with its URL and its remedy', async (t) => {
  const many = JSON.stringify({ keys: Array(101).fill({}) });
  const rows: readonly (readonly [RequestListener, message: RegExp, remedy: string])[] = [
    [
      says(200, json, '{}'),
      /^the answer is not a key set: it has no list `keys`/,
      'correct `jwks_uri`: it must name a key set',
    ],
    [says(200, json, many), /^the key set has too many keys: 101/, 'remove old keys from the key set'],
    [says(503, json, '{}'), /^status 503$/, FAILS],
    [says(404, json, '{}'), /^status 404$/, 'correct `jwks_uri`'],
    [
      says(200, json, '{"keys":[]}'),
      /^no usable key/,
      'publish a public key for one of EdDSA, ES256, RS256, PS256, or change `algorithms`',
    ],
  ];
  for (const [listener, message, remedy] of rows) {
    const jwks_uri = await serving(t, createServer(listener));
    const about = `authorization_servers.main keys ${jwks_uri}`;
    t.match(await seen(t, 'keys', { jwks_uri }), [{ about, verdict: 'bad', message, remedy }]);
  }
});

t.test('keys that only the metadata name: the message names their URL', async (t) => {
  const issuer: string = await serving(
    t,
    createServer(({ url }, response) => {
      const document = url === '/keys' ? {} : { issuer, jwks_uri: `${issuer}/keys` };
      response.setHeader('content-type', json).end(JSON.stringify(document));
    }),
  );
  t.match(await seen(t, 'keys', { issuer }), [
    { message: `${issuer}/keys: the answer is not a key set: it has no list \`keys\` (RFC 7517 §5)` },
  ]);
});

t.test('a feed or an introspection endpoint that fails is no reason to change the file', async (t) => {
  const failing = await serving(t, createServer(says(503, json, '{}')));
  t.match(await seen(t, 'revocation feed', { events: failing }), [
    { verdict: 'bad', message: 'status 503', remedy: FAILS },
  ]);
  const introspection = { introspection_endpoint: failing };
  t.match(await seen(t, 'introspection', introspection), [
    { verdict: 'bad', message: `${failing}: status 503`, remedy: FAILS },
  ]);
});

t.test('only a feed that forbids this client is a reason to follow none', async (t) => {
  const rows: readonly (readonly [status: number, remedy: string])[] = [
    [401, 'correct `client_id` and `client_secret`'],
    [403, 'set `events: true` for the client there, or `events: none` here'],
    [404, 'correct `events`: it must be the URL of the feed'],
  ];
  for (const [status, remedy] of rows) {
    const events = await serving(t, createServer(says(status, json, '{}')));
    t.match(await seen(t, 'revocation feed', { events }), [{ verdict: 'bad', remedy }]);
  }
});
