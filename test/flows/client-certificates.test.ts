import { readFileSync } from 'node:fs';
import { type ConnectionOptions, connect } from 'node:tls';
import t, { type Test } from 'tap';
import { asEnvoy, asks } from '../support/asking.ts';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { ask, RawClient } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';
import { type Seen, witness } from '../support/witness.ts';

/** Header names of RFC 9440, nginx, HAProxy, Apache, Tomcat, Traefik, Envoy and the large load balancers. */
const names = [
  'Client-Cert',
  'Client-Cert-Chain',
  'X-SSL',
  'X-SSL-Client-Verify',
  'X-SSL-Client-S-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'SSL-Client-Cert',
  'SSL_CLIENT_S_DN',
  'ssl-client-subject-dn',
  'CERT_CHAIN_0',
  'X-Client-Cert',
  'X-Client-Cert-Hash',
  'X-Client-Certificate',
  'X-Client-Verify',
  'X-Client-DN',
  'X-ARR-ClientCert',
  'X-Amzn-Mtls-Clientcert-Leaf',
  'CF-Client-Cert-Der-Base64',
  'Cf-Cert-Verified',
  'WL-Proxy-Client-Cert',
  'X-Forwarded-Client-Cert',
  'X-Forwarded-Tls-Client-Cert',
  'X-Forwarded-Tls-Client-Cert-Info',
];
const spelled = [
  ...names,
  ...names.map((name) => name.replaceAll('-', '_')),
  ...names.map((name) => name.toUpperCase()),
];
const others = ['X-Client-Version', 'X-SSLish', 'Client-Certainty', 'CF-Ray', 'X-Client-Certain'];
const claimed = (each: readonly string[]) => each.map((name) => [name, 'mallory'] as const);
const from = (seen: Seen | undefined) =>
  (seen?.rawHeaders ?? []).filter((_, at, raw) => raw[at + 1] === 'mallory' && at % 2 === 0);

const routes = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'passes', match: { path: '/passes' }, access: 'public', pass_headers: ['X-SSL', 'Client-Cert'] },
];

async function bench(t: Test, changes: object = {}, upstream: object = {}) {
  const seen = await witness(t);
  const upstreams = { api: { url: seen.url, ...upstream } };
  const running = await gateway(t, behind(seen.url, { routes, upstreams, limits: { header_count: 200 }, ...changes }));
  const told = async (target: string, headers = spelled) => {
    const answer = await ask(running.port, requestText({ target, headers: claimed(headers) }));
    t.equal(answer.status, 200, target);
    return from(seen.seen.splice(0).at(-1));
  };
  return { ...running, seen: seen.seen, told };
}

const pem = (name: string) => readFileSync(tlsFile(name));
const shown = { cert: pem('client.crt'), key: pem('client.key') };
/** The value of Client-Cert for the test authority's client (RFC 9440 §2.2). */
const field = `:${String(pem('client.crt')).replace(/-----[^-]+-----|\s/g, '')}:`;
const tls = (client_auth: string) => {
  const files = { cert: tlsFile('server.crt'), key: tlsFile('server.key'), client_ca: tlsFile('authority.crt') };
  return { ...files, client_auth };
};
const listen = (client_auth: string) => ({ listen: { host: '127.0.0.1', port: 0, tls: tls(client_auth) } });

async function sends(t: Test, port: number, options: ConnectionOptions = {}, target = '/public/a') {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: pem('authority.crt'), ...options });
  t.teardown(() => socket.destroy());
  const client = new RawClient(socket);
  client.send(requestText({ target, headers: claimed(['Client-Cert', 'client_cert', 'Client-Cert-Chain']) }));
  t.equal((await client.read())?.status, 200);
}

for (const engine of ['undici', 'own']) {
  t.test(`${engine}: certificate headers of any sender are removed in every spelling`, async (t) => {
    const { told } = await bench(t, {}, { engine });
    t.strictSame(await told('/public/a'), []);
    t.strictSame(await told('/passes'), [], 'also where it would pass from a proxy');
    t.strictSame(
      await told('/public/a', others),
      others.map((name) => name.toLowerCase()),
    );
  });

  t.test(`${engine}: a trusted proxy's certificate headers pass if the route names them`, async (t) => {
    const { told } = await bench(t, { trusted_proxies: ['127.0.0.1'] }, { engine });
    t.strictSame(await told('/public/a'), []);
    const passed = await told('/passes', names);
    t.strictSame(passed, ['client-cert', 'client-cert-chain', ...names.slice(2, 7).map((name) => name.toLowerCase())]);
  });

  t.test(
    `${engine}: the upstream gets the client certificate that the gateway verified, and nothing else`,
    async (t) => {
      const { port, seen, log } = await bench(t, listen('optional'), { engine });
      await sends(t, port, shown);
      t.strictSame(seen.at(-1)?.all('client-cert'), [field]);
      t.strictSame(from(seen.at(-1)), []);
      t.ok(await until(() => log.some(({ certificate }) => certificate === 'CN=client')), 'and so is the record');
      await sends(t, port);
      t.strictSame(seen.at(-1)?.all('client-cert'), [], 'who shows none is told to have none');
      t.strictSame(from(seen.at(-1)), []);
    },
  );
}

t.test('over HTTP/2 each stream has the certificate of its connection', async (t) => {
  const { port, seen } = await bench(t, http2Listen({ tls: tls('required') }));
  const session = await http2Client(t, port, shown);
  for (const path of ['/public/a', '/public/b'])
    t.equal(
      (await askHttp2(session, { ':path': path, ':authority': 'localhost', 'client-cert': 'mallory' })).status,
      200,
    );
  t.strictSame(
    seen.map((each) => each.all('client-cert')),
    [[field], [field]],
  );
});

t.test("the certificate of a trusted proxy is not forwarded as a client's certificate", async (t) => {
  const { port, seen } = await bench(t, { ...listen('required'), trusted_proxies: ['127.0.0.1'] });
  await sends(t, port, shown);
  t.strictSame(seen.at(-1)?.all('client-cert'), []);
});

t.test(
  'in shadow mode certificate headers pass unchanged, except Client-Cert if clients present certificates',
  async (t) => {
    const all = ['client-cert', 'client-cert-chain', 'x-ssl-client-verify'];
    const plain = await bench(t, { mode: 'shadow' });
    t.strictSame(await plain.told('/public/a', all), all);
    const mixed = await bench(t, {
      mode: 'shadow',
      routes: [...routes, { match: { path: '/x' }, scope: 'a', mode: 'enforce' }],
    });
    t.strictSame(await mixed.told('/public/a', all), []);
    const { port, seen } = await bench(t, { mode: 'shadow', ...listen('required') });
    await sends(t, port, shown);
    t.strictSame(seen.at(-1)?.all('client-cert'), [field]);
    t.strictSame(from(seen.at(-1)), []);
  },
);

t.test('a proxy that asks is told to remove certificate headers', async (t) => {
  const running = await bench(t, { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] });
  const mine = names.filter((name) => !/^x-forwarded/i.test(name));
  const response = await asks(running, asEnvoy({ target: '/public/a', headers: claimed(mine) }));
  const cleared = response.header('x-envoy-auth-headers-to-remove')?.split(/, */) ?? [];
  for (const name of mine) t.ok(cleared.includes(name.toLowerCase()), name);
});
