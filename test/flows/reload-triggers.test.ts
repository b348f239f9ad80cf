import { copyFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { onePath, reloaded, replaceIn, servedFile, writeIn } from '../support/served-file.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Waits for the watcher of files: 12 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const status = async (port: number, target: string) => (await ask(port, requestText({ target }))).status;

t.test('SIGHUP reloads the file; an invalid one is logged and changes nothing', async (t) => {
  const { url } = await witness(t);
  let head = '';
  const served = await servedFile(t, (directory, listeners) => {
    head = listeners;
    writeIn(directory, 'gateway.yaml', listeners + onePath(url, '/a'));
  });
  writeIn(served.directory, 'gateway.yaml', head + onePath(url, '/b'));
  served.process.kill('SIGHUP');
  t.ok(await reloaded(served, 1));
  t.equal(await status(served.port, '/a'), 404);
  t.equal(await status(served.port, '/b'), 200);
  writeIn(served.directory, 'gateway.yaml', `${head}rotues: []\n`);
  served.process.kill('SIGHUP');
  t.ok(await until(() => served.said('the configuration was rejected') > 0));
  t.match(served.stdout(), /gateway\.yaml:5:1: unknown key `rotues`/);
  t.equal(await status(served.port, '/b'), 200);
});

t.test('SIGHUP and SIGTERM reach a gateway that an older Node.js had to start', async (t) => {
  const { url } = await witness(t);
  const write = (directory: string, text: string) => writeIn(directory, 'gateway.yaml', text + onePath(url, '/a'));
  const versions = '{value:{...process.versions,node:"20.0.0"}}';
  const older = `data:text/javascript,Object.defineProperty(process,"versions",${versions})`;
  const served = await servedFile(t, write, ['--import', older]);
  served.process.kill('SIGHUP');
  t.ok(await reloaded(served, 1));
  t.notMatch(served.stdout(), `"pid":${served.process.pid},`);
  served.process.kill('SIGTERM');
  t.match(await served.ended(), { status: 0 });
});

t.test('a changed file leads to a reload, and so does a file that it refers to', async (t) => {
  const { url } = await witness(t);
  let head = '';
  const served = await servedFile(t, (directory, listeners) => {
    head = listeners;
    writeIn(directory, 'upstream.txt', url);
    writeIn(directory, 'gateway.yaml', listeners + onePath(url, '/a'));
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
  replaceIn(served.directory, 'gateway.yaml', head + onePath('${file:upstream.txt}', '/b'));
  t.ok(await reloaded(served, 1));
  t.equal(await status(served.port, '/b'), 200);
  const other = await witness(t);
  writeIn(served.directory, 'upstream.txt', `${other.url}\n`);
  t.ok(await reloaded(served, 2));
  t.equal(await status(served.port, '/b'), 200);
  t.equal(other.seen.length, 1);
});

t.test('a ConfigMap is reloaded when Kubernetes swaps its link', async (t) => {
  const { url } = await witness(t);
  let head = '';
  const version = (directory: string, name: string, path: string) => {
    mkdirSync(join(directory, name));
    writeIn(directory, `${name}/gateway.yaml`, head + onePath(url, path));
    symlinkSync(name, join(directory, '..data_tmp'));
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
  };
  const served = await servedFile(t, (directory, listeners) => {
    head = listeners;
    version(directory, '..2026_01', '/a');
    symlinkSync('..data/gateway.yaml', join(directory, 'gateway.yaml'));
  });
  t.equal(await status(served.port, '/a'), 200);
  version(served.directory, '..2026_02', '/b');
  t.ok(await reloaded(served, 1));
  t.equal(await status(served.port, '/a'), 404);
  t.equal(await status(served.port, '/b'), 200);
});

/** The serial number of the certificate that a new connection gets. */
function serial(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

t.test('a replaced certificate is used without a command, and even while the file is invalid', async (t) => {
  const { url } = await witness(t);
  const put = (directory: string, name: string) => {
    for (const end of ['crt', 'key']) {
      const from = fileURLToPath(new URL(`../vectors/tls/${name}.${end}`, import.meta.url));
      copyFileSync(from, join(directory, `tls.${end}`));
    }
  };
  const served = await servedFile(t, (directory, listeners) => {
    put(directory, 'server');
    const tls = 'tls: { cert: tls.crt, key: tls.key }';
    const parts = listeners.replace(/listen: (.*):(\d+)/, `listen: { host: $1, port: $2, ${tls} }`);
    writeIn(directory, 'gateway.yaml', parts + onePath(url, '/a'));
  });
  t.match(served.stdout(), '"url":"https://');
  const first = await serial(served.port);
  put(served.directory, 'renewed');
  t.ok(await reloaded(served, 1));
  const second = await serial(served.port);
  t.not(second, first);
  writeIn(served.directory, 'gateway.yaml', 'version: [');
  t.ok(await until(() => served.said('the configuration was rejected') === 1));
  put(served.directory, 'server');
  t.ok(await until(() => served.said('the configuration was rejected') === 2));
  t.equal(await serial(served.port), first);
});
