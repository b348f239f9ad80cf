import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { basic, run, shop } from './running-service.ts';

const body = 'grant_type=client_credentials';

function head(url: string): string {
  const { host } = new URL(url);
  const { authorization } = basic(shop);
  return `POST /oauth2/token HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
}

t.test(
  'a request in flight when the service stops is answered, and its kept connection does not hold up the stop',
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
    t.ok(performance.now() - begun < 2000, `stopped in ${performance.now() - begun} ms`);
  },
);
