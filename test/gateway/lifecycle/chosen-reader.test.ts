import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { chooseReader } from '../../../src/gateway/lifecycle/chosen-reader.ts';
import { behind, gateway, gatewayYaml } from '../../support/gateway.ts';
import { ask, open } from '../../support/raw-client.ts';
import { requestText } from '../../support/request-text.ts';
import { tlsFile } from '../../support/tls-file.ts';
import { witness } from '../../support/witness.ts';

const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
const listeners = { plain: '127.0.0.1:0', tls: { host: '127.0.0.1', port: 0, tls } } as const;

async function chosen(listener: string | undefined, listen: object | string, tryReads?: () => Promise<'data'>) {
  const log: object[] = [];
  const file = behind('http://127.0.0.1:9', { listen, ...(listener !== undefined && { listener }) });
  const loaded = loadGatewayText(gatewayYaml(file), { file: 'gateway.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const tell = (level: string) => (facts: object) => void log.push({ level, ...facts });
  const into = { info: tell('info'), debug: tell('debug') } as unknown as Parameters<typeof chooseReader>[1];
  const reader = await chooseReader(loaded.config, into, tryReads);
  return { reader, log };
}

t.test('`listener: auto` is our own listener for plain text, and the server of Node.js for TLS', async (t) => {
  t.strictSame(await chosen('auto', listeners.plain), {
    reader: 'lent',
    log: [{ level: 'debug', listener: 'auto', reader: 'lent' }],
  });
  t.strictSame(await chosen('auto', listeners.tls), {
    reader: 'node',
    log: [{ level: 'debug', listener: 'auto', reader: 'node' }],
  });
});

t.test('if Node.js cannot share a buffer, the log says so at info', async (t) => {
  t.strictSame(await chosen('auto', listeners.plain, async () => 'data'), {
    reader: 'data',
    log: [{ level: 'info', listener: 'auto', reader: 'data' }],
  });
});

t.test('`listener: node` is the server of Node.js, and the log does not mention it', async (t) => {
  for (const listen of [listeners.plain, listeners.tls])
    t.strictSame(await chosen('node', listen), { reader: 'node', log: [] });
});

for (const [listener, reader] of [
  ['node', 'node'],
  ['auto', 'lent'],
] as const)
  t.test(`a metric says which code reads requests (listener ${listener})`, async (t) => {
    const upstream = await witness(t);
    const { port, adminUrl } = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', listener }));
    t.equal((await ask(port, requestText({ target: '/public/1' }))).status, 200);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    t.match(metrics, `gatehouse_listener_reader{reader="${reader}"} 1\n`);
  });

t.test('with our own listener a stop closes an idle connection, and not an answer in progress', async (t) => {
  const upstream = await witness(t);
  let answer: () => void = () => {};
  upstream.behave((request, response) => {
    if (request.url === '/public/now') response.end();
    else answer = () => response.end('late');
  });
  const { port, stop } = await gateway(t, behind(upstream.url, { listener: 'auto' }));
  const [idle, busy, silent] = [await open(t, port), await open(t, port), await open(t, port)];
  idle.send(requestText({ target: '/public/now' }));
  t.equal((await idle.read())?.status, 200);
  busy.send(requestText({ target: '/public/late' }));
  while (upstream.seen.length < 2) await new Promise((turn) => setImmediate(turn));
  const stopped = stop();
  await Promise.all([idle.untilClosed(), silent.untilClosed()]);
  t.equal(busy.closed, false);
  answer();
  const last = await busy.read();
  t.equal(String(last?.body), 'late');
  t.equal(last?.header('connection'), 'close');
  await stopped;
});
