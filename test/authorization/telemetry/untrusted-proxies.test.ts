import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { type Running, run } from '../running-service.ts';

const told = ({ logged }: Running) =>
  logged()
    .split('\n')
    .filter((line) => line.includes('a peer sends proxy headers'))
    .map((line) => JSON.parse(line));

const ask = ({ url }: Running, headers: Record<string, string>) => fetch(`${url}/oauth2/jwks`, { headers });

t.test('an untrusted peer with proxy headers is logged once, and is listed in /metrics', async (t) => {
  for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for="[2001:db8::1]:80";proto=https' }]) {
    const service = await run(t);
    for (let time = 0; time < 3; time++) t.equal((await ask(service, headers)).status, 200);
    t.match(told(service), [{ level: 40, address: '127.0.0.1', msg: /`trusted_proxies`/ }]);
    t.equal(told(service).length, 1);
    const metrics = await (await fetch(`${service.admin}/metrics`)).text();
    t.match(metrics, 'gatehouse_authorization_untrusted_proxy{address="127.0.0.1"} 1\n');
  }
});

/** From another address of this machine. */
async function askFrom({ url }: Running, localAddress: string): Promise<void> {
  const sent = request(`${url}/oauth2/jwks`, {
    localAddress,
    agent: false,
    headers: { 'x-forwarded-for': '192.0.2.1' },
  });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
}

t.test('untrusted peers do not suppress the log line of a later proxy, and the log stays short', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  for (let n = 1; n <= 20; n++) await askFrom(service, `127.0.1.${n}`);
  for (let n = 0; n < 50; n++) await askFrom(service, '127.0.0.7');
  t.equal(told(service).length, 16);
  clock.advance(3_600_000);
  await askFrom(service, '127.0.0.7');
  t.match(told(service)[16], { address: '127.0.0.7' });
  const leftOut = service
    .logged()
    .split('\n')
    .filter((line) => line.includes('more requests with proxy headers came from'));
  t.match(
    leftOut.map((line) => JSON.parse(line)),
    [{ level: 40, count: 54 }],
  );
  t.ok(JSON.parse(leftOut[0] ?? '').addresses.includes('127.0.0.7'));
});

t.test('a trusted proxy, a proxy that names no address, and a client are not reported', async (t) => {
  const trusting = await run(t, { config: { trusted_proxies: ['127.0.0.0/8'] } });
  await ask(trusting, { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' });
  const service = await run(t);
  for (const headers of [{}, { via: '1.1 p' }, { 'x-forwarded-for': 'unknown' }, { forwarded: 'proto=https' }])
    await ask(service, headers);
  for (const each of [trusting, service]) {
    t.strictSame(told(each), []);
    t.notMatch(await (await fetch(`${each.admin}/metrics`)).text(), 'untrusted_proxy{');
  }
});
