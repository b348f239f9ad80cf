import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { loadGatewayConfig } from '../../src/config/load/load.ts';
import { inAWord, openIssuer, openVerifiers, settings } from '../gateway/issuer.ts';
import { json } from '../support/endpoint.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { signingKey } from '../support/keys.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { reloadable } from '../support/reloadable.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { active, audience, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const path = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
const pem = (name: string) => readFileSync(path(name), 'utf8');
const ca = path('authority.crt');
const opaque = 'an-opaque-token';

/** Metadata, keys and introspection over TLS, with a certificate of the test authority for localhost and 127.0.0.1. */
async function tlsIssuer(t: Test, host = '127.0.0.1', certificate = 'server') {
  const { jwk } = await signingKey('ES256');
  const seen: string[] = [];
  const server = createServer(
    { cert: pem(`${certificate}.crt`), key: pem(`${certificate}.key`) },
    ({ url = '' }, response) => {
      seen.push(url);
      if (url === '/jwks') json(response, { keys: [jwk] });
      else if (url === '/introspect') json(response, active('orders.read'));
      else json(response, { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` });
    },
  );
  await new Promise<void>((listening) => server.listen(0, host, listening));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const issuer = `https://${host}:${(server.address() as AddressInfo).port}`;
  return { issuer, seen, token: await jwt({ iss: issuer, scope: 'orders.read' }) };
}

const block = (issuer: string, more: object = {}) => ({
  authorization_servers: {
    main: {
      issuer,
      audience,
      client_id: 'gateway',
      client_secret: 'gateway-secret-of-32-bytes-or-so',
      cache: { ttl: '0s', negative_ttl: '0s' },
      ...more,
    },
  },
});

const get = (port: number, token: string) => ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }));

function assertOutage(t: Test, response: RawResponse, title: string): void {
  t.equal(response.status, 503, title);
  t.equal(JSON.parse(response.body.toString()).code, 'authorization_server_unavailable', title);
  t.same(response.all('www-authenticate'), [], title);
}

t.test('with `tls.ca` the metadata, keys and introspection of a private authority are reachable', async (t) => {
  const upstream = await witness(t);
  const { issuer, token, seen } = await tlsIssuer(t);
  const { port } = await gateway(t, behind(upstream.url, block(issuer, { tls: { ca } })));
  t.equal((await get(port, token)).status, 200);
  t.equal((await get(port, opaque)).status, 200);
  t.same([...new Set(seen)].sort(), ['/.well-known/oauth-authorization-server', '/introspect', '/jwks']);
});

const unbelieved: Readonly<Record<string, { host?: string; certificate?: string; more?: object; why: string }>> = {
  'without `tls.ca`': { why: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
  'with another authority': {
    more: { tls: { ca: path('other-authority.crt') } },
    why: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  },
  'under a name that is not in its certificate': {
    host: '127.0.0.2',
    more: { tls: { ca } },
    why: 'ERR_TLS_CERT_ALTNAME_INVALID',
  },
  'with its name in the common name only (RFC 9525 §6.3)': {
    host: 'localhost',
    certificate: 'common-name',
    more: { tls: { ca: path('common-name.crt') } },
    why: 'ERR_TLS_CERT_ALTNAME_INVALID',
  },
};

for (const [title, { host, certificate, more = {}, why }] of Object.entries(unbelieved)) {
  t.test(`${title} the server is not trusted: 503, never 401, and the log says why`, async (t) => {
    const upstream = await witness(t);
    const { issuer, token, seen } = await tlsIssuer(t, host, certificate);
    const { port, log } = await gateway(t, behind(upstream.url, block(issuer, more)));
    assertOutage(t, await get(port, token), 'a JWT');
    assertOutage(t, await get(port, opaque), 'an opaque token');
    t.equal(seen.length + upstream.seen.length, 0);
    t.ok(
      log.some(({ detail }) => String(detail).includes(why)),
      why,
    );
  });
}

t.test('the authorities of `tls.ca` replace those of the system', async (t) => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, pem('authority.crt')]);
  t.teardown(() => setDefaultCACertificates(before));
  const upstream = await witness(t);
  const { issuer, token } = await tlsIssuer(t);
  const trusting = await gateway(t, behind(upstream.url, block(issuer)));
  t.equal((await get(trusting.port, token)).status, 200);
  const tls = { ca: path('other-authority.crt') };
  const strict = await gateway(t, behind(upstream.url, block(issuer, { tls })));
  assertOutage(t, await get(strict.port, token), 'the system would have believed it');
});

t.test('a file of `tls.ca` with new content is used after a reload', async (t) => {
  const upstream = await witness(t);
  const { issuer, token } = await tlsIssuer(t);
  const body = behind(upstream.url, block(issuer, { tls: { ca: 'ca.pem' } }));
  const running = await reloadable(t, body, { 'ca.pem': pem('other-authority.crt') });
  assertOutage(t, await get(running.port, token), 'before');
  writeFileSync(join(running.directory, 'ca.pem'), pem('other-authority.crt') + pem('authority.crt'));
  t.match(await running.reload(), { ok: true });
  t.equal((await get(running.port, token)).status, 200, 'any of several certificates counts');
  writeFileSync(join(running.directory, 'ca.pem'), 'half a cert');
  t.match(await running.reload(), { ok: false, problems: [{ message: /has no usable certificate/, line: Number }] });
  t.equal((await get(running.port, token)).status, 200, 'a broken file changes nothing');
});

t.test('a change of a `tls.ca` file leads to a reload', async (t) => {
  const directory = t.testdir({ 'ca.pem': pem('authority.crt') });
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    gatewayYaml(behind('http://127.0.0.1:9', block('https://a.example.com', { tls: { ca: 'ca.pem' } }))),
  );
  const files = new Set<string>();
  t.match(loadGatewayConfig(file, {}, files), { ok: true });
  t.ok(files.has(join(directory, 'ca.pem')));
});

t.test('if a file of `tls.ca` is missing when the gateway needs it, the gateway trusts no server', async (t) => {
  const issuer = await openIssuer(t, systemClock);
  const config = settings(issuer.url, { tls: { ca: join(t.testdir({}), 'gone.pem') } });
  const verifiers = openVerifiers(t, { main: config }, { clock: systemClock, development: true });
  t.equal(inAWord(await verifiers.verifier(['main'])(await issuer.sign())), 'outage');
  t.equal(inAWord(await verifiers.verifier(['main'])(opaque)), 'outage');
  t.ok(verifiers.log.some(({ text }) => text.includes('tls.ca')));
});
