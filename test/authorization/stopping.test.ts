import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../support/free-port.ts';
import { open } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { basic, run, shop } from './running-service.ts';
import { ready, spawnService, writeConfig } from './service-process.ts';

const body = 'grant_type=client_credentials';

function head(url: string): string {
  const { host } = new URL(url);
  const { authorization } = basic(shop);
  return `POST /oauth2/token HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
}

t.test(
  'a request that is running when the service stops is answered, and its kept connection does not delay the stop',
  async (t) => {
    const service = await run(t);
    const { hostname, port } = new URL(service.url);
    const idle = connect(Number(port), hostname);
    const busy = connect(Number(port), hostname);
    let answer = '';
    busy.setEncoding('latin1').on('data', (text) => (answer += text));
    await Promise.all([once(busy, 'connect'), once(idle, 'connect')]);
    busy.write(head(service.url) + body.slice(0, 5));
    await sleep(100);
    const begun = performance.now();
    const stopped = service.stop();
    t.equal((await fetch(`${service.admin}/readyz`)).status, 503, 'not ready at once');
    t.equal((await fetch(`${service.admin}/livez`)).status, 200);
    busy.write(body.slice(5));
    await Promise.all([stopped, once(busy, 'close')]);
    t.match(answer, /^HTTP\/1.1 200 OK/);
    t.match(answer, /^connection: close\r$/im);
    t.match(answer, /"access_token":"at_/);
    t.ok(performance.now() - begun < 15_000, `stopped in ${performance.now() - begun} ms`);
  },
);

t.test(
  'a kept connection may send one more request after the signal, and its answer closes the connection (RFC 9112 §9.6)',
  async (t) => {
    const port = await freePort();
    const config = writeConfig(temporaryFolder(t), { listen: `127.0.0.1:${port}` });
    const service = spawnService(t, config);
    const url = await ready(service);
    const kept = await open(t, port);
    kept.send(head(url) + body);
    t.notOk((await kept.read())?.header('connection') === 'close');
    service.child.kill('SIGTERM');
    t.ok(await until(() => service.stdout().includes('stopping')));
    kept.send(head(url) + body);
    const last = await kept.read();
    t.equal(last?.status, 200);
    t.equal(last?.header('connection'), 'close');
    t.equal(await service.ended, 0);
  },
);
