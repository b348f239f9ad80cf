import t from 'tap';
import { rotate } from '../authorization/user-key-flow.ts';
import { behind, gateway } from '../support/gateway.ts';
import { open } from '../support/raw-client.ts';
import { answerText, rawUpstream } from '../support/raw-upstream.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { accept, ask, bench, routes, webSocket } from './ending-streams.ts';

/** Waits for a token that expires: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const SECOND = 1_000;

t.test('a request without an answer yet, and an upload, are refused like the next request', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const { service, running, token } = await bench(t, upstream);
  const waiting = await ask(t, running.port, '/ending/slow', token);
  const upload = await open(t, running.port);
  const head = [bearer(token), ['Content-Length', '1000000']] as const;
  upload.send(requestText({ method: 'POST', target: '/ending/up', headers: head }));
  upload.send('x'.repeat(1000));
  t.ok(await until(() => upstream.connections.length === 2));
  await rotate(service);
  for (const client of [waiting, upload]) {
    const answer = await client.read();
    t.equal(answer?.status, 401);
    t.equal(JSON.parse(answer?.body.toString() ?? '{}').code, 'token_revoked');
    t.match(answer?.header('www-authenticate'), /error="invalid_token"/);
  }
  await upload.untilClosed();
  t.ok(await until(() => upstream.connections.every(({ closed }) => closed)));
});

t.test('an open stream ends at exp', async (t) => {
  const upstream = await rawUpstream(t, accept);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const exp = Math.floor(Date.now() / 1000) + 5;
  const token = await jwt({ scope: 'orders.read', exp }, { alg: 'HS256' });
  const client = await webSocket(t, port, '/ending/live', token);
  const lasting = await webSocket(t, port, '/lasting/live', token);
  await client.untilClosed();
  const late = Date.now() - exp * 1000;
  // The clock skew would keep it for half a minute more.
  t.ok(late >= 0 && late < 5 * SECOND, `${late} ms`);
  t.equal(client.unread.readUInt16BE(2), 1008);
  t.equal(client.unread.toString('utf8', 4), 'The access token expired.');
  t.notOk(lasting.closed);
});

t.test('requests that end at once leave nothing behind', async (t) => {
  const upstream = await rawUpstream(t, ({ socket }) => socket.write(answerText('ok')));
  const { running, token } = await bench(t, upstream);
  for (let index = 0; index < 50; index++) t.equal(await running.said(token, '/ending/x'), '200');
});
