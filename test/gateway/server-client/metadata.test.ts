import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { type FetchJson, failed } from '../../../src/gateway/server-client/fetch-json.ts';
import { metadata } from '../../../src/gateway/server-client/metadata.ts';
import { endpoint, json } from '../../support/endpoint.ts';
import { heldClock, inAWord, openIssuer, openVerifiers, settings } from '../issuer.ts';

const issuer = 'https://auth.example.com/tenant';
const first = 'https://auth.example.com/.well-known/oauth-authorization-server/tenant';
const last = 'https://auth.example.com/tenant/.well-known/openid-configuration';

function reader(documents: Record<string, object | number>, development = false) {
  const asked: string[] = [];
  const fetch: FetchJson = async ({ url }) => {
    asked.push(url);
    const found = documents[url] ?? 404;
    if (typeof found !== 'number') return { kind: 'json', value: found as Record<string, unknown> };
    return found === 0 ? failed('ECONNREFUSED') : failed(`status ${found}`, found);
  };
  const clock = heldClock();
  return { asked, clock, documents, ...metadata({ issuer, development, fetch, clock, ttl: 60_000 }) };
}

t.test('metadata are found at the address of RFC 8414, then at that of OpenID Connect', async (t) => {
  const inserted = reader({ [first]: { issuer, jwks_uri: 'https://auth.example.com/jwks' } });
  t.equal(await inserted.endpoint('jwks_uri'), 'https://auth.example.com/jwks');
  t.strictSame(inserted.asked, [first]);
  const appended = reader({ [last]: { issuer, jwks_uri: 'https://auth.example.com/jwks' } });
  t.equal(await appended.endpoint('jwks_uri'), 'https://auth.example.com/jwks');
  t.equal(appended.asked[0], first);
  t.equal(appended.asked.at(-1), last);
});

t.test('a document of another issuer is rejected, and no other address is tried', async (t) => {
  for (const other of [`${issuer}/`, 'https://auth.example.com', undefined, 1, [issuer]]) {
    const { endpoint, asked } = reader({
      [first]: { issuer: other, jwks_uri: 'https://a/jwks' },
      [last]: { issuer, jwks_uri: 'https://b/jwks' },
    });
    t.match(await endpoint('jwks_uri'), { kind: 'failed', detail: /issuer/ });
    t.equal(asked.length, 1);
  }
});

t.test('an https: issuer cannot name http: addresses, except in development', async (t) => {
  const document = {
    [first]: { issuer, jwks_uri: 'http://auth.example.com/jwks', introspection_endpoint: 'file:///etc/passwd' },
  };
  t.match(await reader(document).endpoint('jwks_uri'), { kind: 'failed', detail: /http:/ });
  t.equal(await reader(document, true).endpoint('jwks_uri'), 'http://auth.example.com/jwks');
  t.match(await reader(document, true).endpoint('introspection_endpoint'), { kind: 'failed' });
});

t.test('only an answer shows that a server has no metadata, or that they lack a member', async (t) => {
  const feed = { revocation_events_endpoint: 'https://auth.example.com/events' };
  const other = 'https://auth.example.com';
  const lacking = [{}, { [first]: { issuer } }, { [first]: { issuer: other } }, { [first]: 403 }];
  for (const documents of lacking)
    t.equal(await reader(documents).optional('revocation_events_endpoint'), undefined, JSON.stringify(documents));
  const unclear = [0, 200, 302, 408, 425, 429, 500, 503, { issuer: other, ...feed }];
  for (const answer of unclear)
    t.match(
      await reader({ [first]: answer }).optional('revocation_events_endpoint'),
      { kind: 'failed' },
      `${JSON.stringify(answer)}, and no document at the other addresses`,
    );
});

t.test(
  'the document is read once in its ttl, a failure is not retried immediately, and the last good one stays',
  async (t) => {
    const { endpoint, asked, clock, documents } = reader({ [first]: 0 });
    t.match(await endpoint('jwks_uri'), { kind: 'failed' });
    t.match(await endpoint('jwks_uri'), { kind: 'failed' });
    t.equal(asked.length, 1, 'a server that is down is not asked at its other addresses');
    clock.advance(1_001);
    documents[first] = { issuer, jwks_uri: 'https://auth.example.com/jwks' };
    t.equal(await endpoint('jwks_uri'), 'https://auth.example.com/jwks');
    t.match(await endpoint('introspection_endpoint'), { kind: 'failed', detail: /introspection_endpoint/ });
    t.equal(asked.length, 2);
    documents[first] = 0;
    clock.advance(60_001);
    t.equal(await endpoint('jwks_uri'), 'https://auth.example.com/jwks');
    t.equal(asked.length, 3);
  },
);

t.test('an issuer that is not a URL has no metadata', async (t) => {
  const clock = heldClock();
  const verifiers = openVerifiers(t, { main: settings('urn:legacy', { verify: 'jwt' }) }, { clock });
  await verifiers.start();
  t.match(verifiers.log, [
    { level: 'info', text: /the gateway follows no revocation feed/ },
    { level: 'warn', text: /not a URL/ },
  ]);
});

t.test('a wrong issuer in the metadata is an outage that the log explains', async (t) => {
  const clock = heldClock();
  const server = await openIssuer(t, clock);
  server.metadata = { ...server.metadata, issuer: `${server.url}/` };
  const verifiers = openVerifiers(t, { main: settings(server.url) }, { clock });
  const verify = verifiers.verifier(['main']);
  t.equal(inAWord(await verify(await server.sign())), 'outage');
  t.equal(inAWord(await verify('opaque')), 'outage');
  t.match(verifiers.log[0], { level: 'warn', text: /names the issuer/ });
});

t.test('advisory 53: a self-signed server is not trusted, whatever the environment says', async (t) => {
  const pem = (end: string) => readFileSync(new URL(`../../vectors/tls/self-signed.${end}`, import.meta.url));
  let asked = 0;
  const server = createServer({ cert: pem('crt'), key: pem('key') }, (_request, response) => {
    asked++;
    json(response, { active: true });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  const config = settings(url, { verify: 'introspection', introspection_endpoint: `${url}/introspect` });
  const verify = openVerifiers(t, { main: config }, { clock: heldClock() }).verifier(['main']);
  t.match(await verify('opaque'), { kind: 'outage', detail: /CERT|SELF_SIGNED/ });
  t.equal(asked, 0);
});

t.test(
  'advisory 56: with every endpoint down, tokens of all kinds are outages or refusals, and nothing throws',
  async (t) => {
    const clock = heldClock();
    const server = await openIssuer(t, clock);
    const verifiers = openVerifiers(t, { main: settings(server.url) }, { clock });
    const verify = verifiers.verifier(['main']);
    await server.endpoint.down();
    await verifiers.start();
    for (const token of [await server.sign(), 'opaque', 'a.b.c', '...', '']) {
      t.match((await verify(token)).kind, /^(outage|refused)$/, token);
    }
  },
);

t.test('a configured endpoint is used without metadata', async (t) => {
  const clock = heldClock();
  const paths: string[] = [];
  const server = await endpoint(t, (request, response) => {
    paths.push(request.url ?? '');
    json(response, { active: true });
  });
  const config = settings('https://issuer.invalid', {
    verify: 'introspection',
    introspection_endpoint: `${server.url}/custom`,
  });
  t.equal(inAWord(await openVerifiers(t, { main: config }, { clock }).verifier(['main'])('at')), 'miss');
  t.strictSame(paths, ['/custom']);
});
