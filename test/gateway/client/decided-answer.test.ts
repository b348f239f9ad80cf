import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { sample } from '../../support/metric-sample.ts';
import { connectTo } from '../../support/raw-client.ts';
import { witness } from '../../support/witness.ts';

/** Heads that the gateway refuses, and rests that the parser of Node.js refuses. */
const refused = [
  { target: '/public/a', coding: 'gzip', rest: '', code: 'transfer_encoding_invalid' },
  { target: '/public/a', coding: 'gzip', rest: 'packed', code: 'transfer_encoding_invalid' },
  { target: '/public/a', coding: 'gzip, chunked', rest: 'packed', code: 'transfer_encoding_invalid' },
  { target: '/orders/a', coding: 'chunked', rest: 'packed', code: 'credential_missing' },
];

const BEHIND = 'GET /public/behind HTTP/1.1\r\nHost: api.example.com\r\n\r\n';

/** Sends the bytes and a second request. Returns all answers, until the gateway closes the connection. */
async function answersTo(port: number, bytes: string) {
  const client = await connectTo(port);
  client.send(bytes);
  const first = await client.read({ method: 'POST' });
  client.send(BEHIND);
  await client.untilClosed();
  const second = await client.read();
  client.destroy();
  return { first, second };
}

async function started(t: Test, listener: string) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { listener, admin: '127.0.0.1:0' }));
  return { ...running, upstream };
}

for (const listener of ['auto', 'node']) {
  for (const { target, coding, rest, code } of refused) {
    const title = `${target}, ${coding}, ${rest === '' ? 'no rest' : rest}, ${listener}`;
    t.test(`a refused request with a rest that is not valid has one answer and one record (${title})`, async (t) => {
      const { port, adminUrl, log, upstream } = await started(t, listener);
      const head = `POST ${target} HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const { first, second } = await answersTo(port, `${head}${rest}`);
      const answer = JSON.parse(String(first?.body));
      t.equal(answer.code, code, 'the client gets the decided answer');
      t.equal(second, undefined, 'nothing more is read on the connection');
      t.same(upstream.seen, [], 'nothing reaches the upstream');
      const lines = log.filter((line) => line.code !== undefined);
      const { status, request_id } = answer;
      const length = first?.body.length;
      t.match(lines, [{ code, status, request_id, bytes_out: length }], 'the log has what the client got');
      t.equal(lines.length, 1, 'one line');
      t.equal(await sample(adminUrl as string, 'gatehouse_requests_total', {}), 1, 'one request is counted');
    });
  }
}
