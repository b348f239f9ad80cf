import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { jwt } from '../support/tokens.ts';
import { within } from '../support/until.ts';

const script = fileURLToPath(new URL('../fixtures/legacy-api.py', import.meta.url));

const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'no python3 on the PATH';

const routes = [
  { match: { methods: ['GET'], path: '/health' }, access: 'public' },
  { match: { methods: ['GET'], path: '/report' }, access: 'public' },
  { match: { methods: ['GET'], path: '/orders/{rest*}' }, scope: 'orders.read' },
  {
    match: { methods: ['POST'], path: '/orders' },
    scope: 'orders.write',
    bearer_methods_supported: ['header', 'body', 'query'],
  },
  { match: { methods: ['DELETE'], path: '/orders/{id}' }, scope: 'orders.write' },
  { match: { methods: ['POST'], path: '/service', soap_action: 'urn:orders#list' }, scope: 'orders.read' },
  { match: { methods: ['POST'], path: '/service', soap_action: 'urn:orders#clear' }, scope: 'orders.write' },
];

interface Site {
  readonly ask: (target: string, init?: RequestInit) => Promise<Answer>;
  readonly reader: string;
  readonly writer: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | null;
}

async function legacy(t: Test, version: string): Promise<Site> {
  const { url } = await gateway(t, behind(await python(t, version), { routes }));
  const signed = (scope: string) => jwt({ scope }, { alg: 'HS256' });
  return {
    async ask(target, init) {
      const response = await fetch(url + target, init);
      const challenge = response.headers.get('www-authenticate');
      return { status: response.status, text: await response.text(), challenge };
    },
    reader: await signed('orders.read'),
    writer: await signed('orders.write'),
  };
}

/** The URL of the API in a separate process, which ends with the test. */
async function python(t: Test, version: string): Promise<string> {
  const child = spawn('python3', [script, version], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => ended(child));
  const [port] = await within(once(createInterface(child.stdout), 'line'), 20_000, 'the port of the legacy API');
  return `http://127.0.0.1:${port}`;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
  t.test(`a Python API that uses ${version} gets scopes without a change`, { skip }, async (t) => {
    const { ask, reader, writer } = await legacy(t, version);
    t.match(await ask('/health'), { status: 200, text: '{"status": "fine"}' });
    t.match(await ask('/orders'), { status: 401, challenge: 'Bearer realm="api", scope="orders.read"' });
    t.match(await ask('/orders', { headers: bearer('garbage') }), { status: 401, challenge: /error="invalid_token"/ });
    const listed = JSON.parse((await ask('/orders?page=2', { headers: bearer(reader) })).text);
    t.strictSame(listed, {
      result: [
        { id: '7', item: 'kettle' },
        { id: '8', item: 'tea' },
      ],
      target: '/orders?page=2',
      auth: { 'x-auth-subject': 'alice', 'x-auth-client': 'shop', 'x-auth-scope': 'orders.read' },
    });
    t.match(await ask('/orders/8', { method: 'DELETE', headers: bearer(reader) }), {
      status: 403,
      challenge: /error="insufficient_scope"/,
    });
    t.match(await ask('/orders/8', { headers: bearer(reader) }), { status: 200 }, 'it is still there');
    t.match(await ask('/orders/8', { method: 'DELETE', headers: bearer(writer) }), { status: 204, text: '' });
    t.match(await ask('/orders/8', { headers: bearer(reader) }), { status: 404, challenge: null });
  });

  t.test(`a form or a query arrives without its token at an API of ${version}`, { skip }, async (t) => {
    const { ask, writer } = await legacy(t, version);
    const form = await ask('/orders', {
      method: 'POST',
      body: new URLSearchParams({ item: 'a cup', access_token: writer }),
    });
    t.match(form, { status: 201, text: /"result": "item=a\+cup"/ }, 'with the length that it has now');
    const query = await ask(`/orders?a=1&access_token=${writer}&b=2`, { method: 'POST', body: 'x' });
    t.match(query, { status: 201, text: /"target": "\/orders\?a=1&b=2"/ });
    t.notMatch(form.text + query.text, writer);
  });

  t.test(`each SOAP action of an API of ${version} has its own scope`, { skip }, async (t) => {
    const { ask, reader, writer } = await legacy(t, version);
    const call = (action: string, token: string) =>
      ask('/service', { method: 'POST', body: '<x/>', headers: { ...bearer(token), soapaction: `"${action}"` } });
    t.match(await call('urn:orders#list', reader), { status: 200, text: '<Done>"urn:orders#list" <x/></Done>' });
    t.match(await call('urn:orders#clear', reader), { status: 403 });
    t.match(await call('urn:orders#clear', writer), { status: 200 });
    t.match(await call('urn:orders#other', writer), { status: 404 });
  });

  t.test(`an answer of ${version} that ends with its connection arrives whole`, { skip }, async (t) => {
    const { ask } = await legacy(t, version);
    const report = await ask('/report');
    t.equal(report.status, 200);
    t.equal(report.text.split('\n').length, 1001);
    t.match(report.text, /\n999,kettle\n$/);
  });
}
