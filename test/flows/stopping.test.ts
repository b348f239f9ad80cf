import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { onePath, servedFile, writeIn } from '../support/served-file.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

// A stop that waited for an endless request would take the 30 s of shutdown.deadline.

t.test('SIGTERM ends connections that never sent a byte, and exits 0 immediately', async (t) => {
  const { url } = await witness(t);
  const served = await servedFile(t, (directory, listeners) =>
    writeIn(directory, 'gateway.yaml', listeners + onePath(url, '/a')),
  );
  const silent = await Promise.all(Array.from({ length: 20 }, () => open(t, served.port)));
  const kept = await open(t, served.port);
  kept.send(requestText({ target: '/a' }));
  t.equal((await kept.read())?.status, 200);
  const start = performance.now();
  served.process.kill('SIGTERM');
  t.match(await served.ended(), { status: 0 });
  t.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  t.ok(await until(() => silent.every((client) => client.closed)));
});

t.test('SIGTERM waits for the request in flight, and for no silent connection', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => void setTimeout(() => response.end('done'), 700));
  const served = await servedFile(t, (directory, listeners) =>
    writeIn(directory, 'gateway.yaml', listeners + onePath(upstream.url, '/a')),
  );
  await open(t, served.port);
  const client = await open(t, served.port);
  client.send(requestText({ target: '/a' }));
  t.ok(await until(() => upstream.seen.length === 1));
  const start = performance.now();
  served.process.kill('SIGTERM');
  t.equal((await client.read())?.body.toString(), 'done');
  t.match(await served.ended(), { status: 0 });
  t.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
});

t.test('SIGTERM ends TLS connections that never sent a request', async (t) => {
  const { url } = await witness(t);
  const file = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
  const served = await servedFile(t, (directory, listeners) => {
    const tls = `tls: { cert: ${file('server.crt')}, key: ${file('server.key')} }`;
    const parts = listeners.replace(/listen: (.*):(\d+)/, `listen: { host: $1, port: $2, ${tls} }`);
    writeIn(directory, 'gateway.yaml', parts + onePath(url, '/a'));
  });
  await open(t, served.port);
  const shaken = connectTls({ port: served.port, host: '127.0.0.1', rejectUnauthorized: false });
  shaken.on('error', () => {});
  t.teardown(() => shaken.destroy());
  await new Promise((resolve) => shaken.once('secureConnect', resolve));
  const start = performance.now();
  served.process.kill('SIGTERM');
  t.match(await served.ended(), { status: 0 });
  t.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
});
