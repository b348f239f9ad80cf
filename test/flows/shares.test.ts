import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { answerOf, askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { uploadsUpstream } from '../support/uploads-upstream.ts';
import { witness } from '../support/witness.ts';

const OTHER = '127.0.0.2';
const UPLOADS = 300;
const engines = ['undici', 'own'] as const;

/** Of the default of 256. */
const SHARE = 128;

async function sessions(t: Test, port: number, count: number): Promise<readonly ClientHttp2Session[]> {
  return Promise.all(Array.from({ length: count }, () => http2Client(t, port)));
}

/** An upload of which one byte arrived. */
function drip(session: ClientHttp2Session): ClientHttp2Stream {
  const fields = { ':method': 'POST', ':path': '/public/drip', ':authority': 'api.example.com' };
  const stream = session.request(fields, { endStream: false });
  stream.on('error', () => {});
  stream.write('x');
  return stream;
}

const statusesOf = async (session: ClientHttp2Session, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await askHttp2(session, { ':path': '/public/good' })).status));

for (const engine of engines) {
  t.test(
    `${engine}: ${UPLOADS} dripping uploads of one address use only its share, and another address is served`,
    async (t) => {
      const upstream = await uploadsUpstream(t);
      const api = { url: upstream.url, engine, timeout: { response: '20s' } };
      const { port } = await gateway(t, behind('', { ...http2Listen(), upstreams: { api } }));
      const [attackers, other] = [await sessions(t, port, 3), await http2Client(t, port, { localAddress: OTHER })];
      const streams = Array.from({ length: UPLOADS }, (_, index) => drip(attackers[index % 3] as ClientHttp2Session));
      const answers = streams.map((stream) => answerOf(stream, 60_000));
      t.ok(await until(() => upstream.busy === SHARE), `${upstream.busy}`);
      t.strictSame(await statusesOf(other, 50), new Array(50).fill(200));
      t.equal(upstream.busy, SHARE);
      t.ok(
        streams.every(({ closed }) => !closed),
        'none is refused',
      );
      for (const stream of streams) stream.end();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      t.strictSame(statuses, new Array(UPLOADS).fill(200), 'those who waited have their turn');
      t.equal(upstream.most, SHARE, 'never more than its share');
    },
  );

  t.test(
    `${engine}: a single active address may send more than its share at a time, and all is answered`,
    async (t) => {
      const upstream = await witness(t);
      const held: (() => void)[] = [];
      let most = 0;
      upstream.behave((_request, response) => {
        most = Math.max(most, upstream.connections.size);
        held.push(() => response.end('ok'));
      });
      const api = { url: upstream.url, engine };
      const { port } = await gateway(t, behind('', { ...http2Listen(), upstreams: { api } }));
      const clients = await sessions(t, port, 6);
      const answers = Promise.all(clients.map((each) => statusesOf(each, 100)));
      t.ok(await until(() => held.length === SHARE), 'it has all of its share');
      upstream.behave((_request, response) => {
        most = Math.max(most, upstream.connections.size);
        response.end('ok');
      });
      for (const answer of held) answer();
      t.strictSame((await answers).flat(), new Array(600).fill(200));
      t.equal(most, SHARE, 'over the connections of its share');
    },
  );

  t.test(`${engine}: if all places are taken, an address above its share gives way`, async (t) => {
    const upstream = await uploadsUpstream(t);
    const api = { url: upstream.url, engine, max_connections: 2, max_pending: 2 };
    const { port } = await gateway(t, behind('', { upstreams: { api } }));
    const greedy = await Promise.all(Array.from({ length: 4 }, () => open(t, port)));
    for (const [index, client] of greedy.entries()) {
      client.send('POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n');
      await client.arrived(25);
      t.match(client.unread.toString(), /^HTTP.1.1 100 /, `${index} is asked for its body`);
      client.send('1\r\nx\r\n');
    }
    t.ok(await until(() => upstream.busy === 1));
    const refused = await open(t, port);
    refused.send(requestText({ target: '/public/a' }));
    t.equal((await refused.read())?.status, 503, 'its own is the one too many');
    const other = await open(t, port, OTHER);
    other.send(requestText({ target: '/public/a' }));
    t.equal((await other.read())?.status, 200);
    const last = await greedy[3]?.read({ method: 'POST' });
    t.equal(last?.status, 503);
    t.equal(last?.header('retry-after'), '1');
    for (const client of greedy.slice(0, 3)) {
      client.send('0\r\n\r\n');
      t.equal((await client.read({ method: 'POST' }))?.status, 200);
    }
    t.equal(upstream.most, 1);
  });

  t.test(`${engine}: with \`limits.share: 1\` one address may use every connection`, async (t) => {
    const upstream = await uploadsUpstream(t);
    const api = { url: upstream.url, engine, max_connections: 4, timeout: { response: '500ms' } };
    const config = behind('', { upstreams: { api }, limits: { share: 1 } });
    const { port } = await gateway(t, config);
    for (let i = 0; i < 4; i++) {
      const client = await open(t, port);
      client.send('POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    }
    t.ok(await until(() => upstream.busy === 4));
    const other = await open(t, port, OTHER);
    other.send(requestText({ target: '/public/a' }));
    t.equal((await other.read())?.status, 504);
  });
}

t.test("the client address from a trusted proxy counts, not the proxy's", async (t) => {
  const upstream = await uploadsUpstream(t);
  const api = { url: upstream.url, max_connections: 4 };
  const { port } = await gateway(t, behind('', { upstreams: { api }, trusted_proxies: ['127.0.0.1/32'] }));
  const send = async (client: string, request: string) => {
    const connection = await open(t, port);
    connection.send(request.replace('Host: a', `Host: a\r\nX-Forwarded-For: ${client}`));
    return connection;
  };
  const post = 'POST /public/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n';
  for (let i = 0; i < 4; i++) await send('2001:db8::1', post);
  t.ok(await until(() => upstream.busy === 2));
  const good = await send('2001:db8:0:1::1', 'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n');
  t.equal((await good.read())?.status, 200);
  t.equal(upstream.most, 2);
});
