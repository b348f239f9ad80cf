import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { gateway } from '../support/gateway.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { tlsFile } from '../support/tls-file.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';

/** Both are for localhost. One has the name only in its common name, the other also in its subjectAltName. */
const certificates = { 'common-name': 502, 'self-signed': 200 };
const pair = (name: string) => ({
  cert: readFileSync(tlsFile(`${name}.crt`)),
  key: readFileSync(tlsFile(`${name}.key`)),
});

const overHttp1 = async (t: Test, name: string) => {
  const { url, requests } = await tlsUpstream(t, pair(name));
  return { url, requests };
};

const overHttp2 = async (t: Test, name: string) => {
  const { url, seen } = await http2Upstream(t, undefined, pair(name));
  return { url, requests: () => seen.length };
};

const engines = {
  'engine: own': { open: overHttp1, more: { engine: 'own' } },
  'engine: undici': { open: overHttp1, more: { engine: 'undici' } },
  'http2: true': { open: overHttp2, more: { http2: true } },
};

for (const [engine, { open, more }] of Object.entries(engines))
  t.test(`${engine}: a certificate whose only name is its common name does not match the upstream`, async (t) => {
    for (const [name, status] of Object.entries(certificates)) {
      const { url, requests } = await open(t, name);
      const { port } = await gateway(t, {
        upstreams: {
          api: { url: url.replace('127.0.0.1', 'localhost'), tls: { ca: tlsFile(`${name}.crt`) }, ...more },
        },
        defaults: { upstream: 'api' },
        routes: [{ match: { path: '/{rest*}' }, access: 'public' }],
      });
      t.equal((await ask(port, requestText({ target: '/a' }))).status, status, name);
      t.equal(requests(), status === 200 ? 1 : 0, name);
    }
  });
