import t, { type Test } from 'tap';
import { asEnvoy, asks, problemOf } from '../support/asking.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'pay', match: { path: '/pay' }, scope: 'pay' },
  { id: 'sandbox', match: { path: '/pay', headers: { 'X-Sandbox': '1' } }, scope: 'read' },
  { id: 'soap', match: { path: '/soap' }, scope: 'pay' },
  { id: 'soap-get', match: { path: '/soap', soap_action: 'urn:Get' }, scope: 'read' },
  { id: 'dry', match: { path: '/dry' }, scope: 'read', when: 'request.headers["x-dry-run"] == "true"' },
  { id: 'free', match: { path: '/free' }, scope: 'read', when: 'request.headers.exists(k, k == "x-let")' },
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  {
    id: 'elsewhere',
    match: { host: 'other.example', path: '/public/{rest*}', headers: { 'X-Other': '1' } },
    scope: 'read',
  },
];

async function bench(t: Test, changes: object = {}, upstream: object = {}) {
  const behindIt = await witness(t);
  const upstreams = { api: { url: behindIt.url, ...upstream } };
  const running = await gateway(t, behind(behindIt.url, { routes, upstreams, ...changes }));
  const token = bearer(await jwt({ scope: 'read' }, { alg: 'HS256' }));
  const send = (request: RequestText) => {
    const { method = 'GET', headers = [] } = request;
    return ask(running.port, requestText({ ...request, headers: [token, ...headers] }), { method });
  };
  return { ...running, upstream: behindIt, send };
}

const names = (value: string) => ['Connection', value] as const;

for (const engine of ['undici', 'own'])
  t.test(
    `${engine}: if Connection names a field that decides, the answer is 400, whether the field is present or not`,
    async (t) => {
      const { send, upstream } = await bench(t, {}, { engine });
      const decisive: readonly RequestText[] = [
        { target: '/pay', headers: [names('x-sandbox'), ['X-Sandbox', '1']] },
        { target: '/pay', headers: [names('x-sandbox')] },
        { target: '/pay', headers: [names('close, X-SANDBOX'), ['X-Sandbox', '1']] },
        { target: '/pay', headers: [names('keep-alive'), names('X_Sandbox'), ['X-Sandbox', '1']] },
        { target: '/soap', headers: [names('SOAPAction'), ['SOAPAction', '"urn:Get"']] },
        {
          target: '/soap',
          headers: [names('content-type'), ['Content-Type', 'application/soap+xml; action="urn:Get"']],
        },
        { target: '/dry', headers: [names('x-dry-run'), ['X-Dry-Run', 'true']] },
        { target: '/free', headers: [names('x-let'), ['X-Let', '1']] },
        { target: '/free', headers: [names('x-anything'), ['X-Let', '1']] },
        ...['Content-Type', 'Content-Encoding', 'Origin', 'Authorization', 'Access-Control-Request-Method'].map(
          (name) => ({
            target: '/public/a',
            headers: [names(name)],
          }),
        ),
      ];
      for (const request of decisive) {
        const response = await send(request);
        const what = JSON.stringify(request);
        t.equal(response.status, 400, what);
        t.equal(JSON.parse(response.body.toString()).code, 'connection_names_decisive', what);
      }
      t.strictSame(upstream.seen, []);
    },
  );

t.test('a field that Connection may name, or that decides only elsewhere, passes', async (t) => {
  const { send, upstream } = await bench(t);
  const let1 = ['X-Let', '1'] as const;
  const legal: readonly RequestText[] = [
    ...[
      'Keep-Alive',
      'close',
      'TE',
      'trailer',
      'Upgrade',
      'Upgrade, HTTP2-Settings',
      'Proxy-Connection',
      ', ,close',
    ].map((value) => ({ target: '/free', headers: [names(value), let1] })),
    { target: '/public/a', headers: [names('x-sandbox'), ['X-Sandbox', '1']] },
    { target: '/public/a', headers: [names('x-other'), ['X-Other', '1']] },
    { target: '/public/a', headers: [names('x-hop'), ['X-Hop', '1']] },
  ];
  for (const request of legal) t.equal((await send(request)).status, 200, JSON.stringify(request));
  t.equal(upstream.seen.length, legal.length);
  const { status } = await send({ target: '/public/a', host: 'other.example', headers: [names('x-other')] });
  t.equal(status, 400, 'for the host where it decides');
});

t.test('a field from which Digest learns the received URI counts as one that decides', async (t) => {
  const users = userFile(t, digestLines('alice', 'meters', 'secret'));
  const digest = { realm: 'meters', users, uri_from: ['X-Forwarded-Uri'] };
  const { send } = await bench(t, {
    routes: [{ match: { path: '/meters' }, auth: 'digest', digest, access: 'authenticated' }],
    trusted_proxies: ['127.0.0.1'],
  });
  t.equal((await send({ target: '/meters', headers: [names('x-forwarded-uri')] })).status, 400);
});

t.test('in shadow mode it is recorded as a refusal, and passes', async (t) => {
  const { send, upstream, log } = await bench(t, { mode: 'shadow' });
  t.equal((await send({ target: '/pay', headers: [names('x-sandbox'), ['X-Sandbox', '1']] })).status, 200);
  t.equal(upstream.seen.length, 1);
  t.match(log.at(-1), { route: 'sandbox' });
  t.match(JSON.stringify(log.at(-1)), 'connection_names_decisive');
});

t.test('a proxy that forwards Connection with its decision request is held to the same rule', async (t) => {
  const decision = { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'] };
  const running = await bench(t, decision);
  const token = bearer(await jwt({ scope: 'read' }, { alg: 'HS256' }));
  const sandbox = ['X-Sandbox', '1'] as const;
  const asked = (headers: readonly (readonly [string, string])[]) =>
    asks(running, asEnvoy({ target: '/pay', headers: [token, sandbox, ...headers] }));
  t.equal((await asked([])).status, 200);
  t.equal((await asked([names('keep-alive')])).status, 200);
  t.equal(problemOf(await asked([names('x-sandbox')])).code, 'connection_names_decisive');
});
