import type { ClientHttp2Session } from 'node:http2';
import t from 'tap';
import { askHttp2, http2Client } from '../support/http2-client.ts';
import { heapInUse, probed } from '../support/memory.ts';
import { random } from '../support/random.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { served } from './http2-served.ts';

/** Resets ten thousand streams: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const head = { ':path': '/a', ':authority': 'api.example.com' };

t.test('a client that resets its streams at any time leaves nothing behind, 10,000 times (advisory 58)', async (t) => {
  const upstream = await witness(t);
  upstream.behave((_request, response) => {
    response.write('x'.repeat(3000));
    setImmediate(() => response.end('y'.repeat(30_000)));
  });
  // No time limit ends what is left.
  const patient = 'limits: { idle: 10m, body_rate: { bytes: 1B, over: 10m } }\n';
  const gate = await served(t, upstream.url, patient, probed.NODE_OPTIONS.split(' '));
  const heap = () => heapInUse({ pid: gate.process.pid as number, output: gate.stderr });
  const dice = random(10);
  const round = async (session: ClientHttp2Session) => {
    const streams = Array.from({ length: 100 }, (_, index) => {
      const body = index % 2 === 0;
      const question = { ...head, ':method': body ? 'POST' : 'GET' };
      const stream = session.request(question, { endStream: !body });
      stream.on('error', () => {}).resume();
      if (body) stream.write('x'.repeat(index * 100));
      setTimeout(() => stream.close(index % 3 === 0 ? 2 : 8), dice.below(10));
      return new Promise((done) => stream.once('close', done));
    });
    await Promise.all(streams);
    session.destroy();
    upstream.forget();
  };
  for (let i = 0; i < 40; i++) await round(await http2Client(t, gate.port));
  const before = await heap();
  for (let i = 0; i < 100; i++) await round(await http2Client(t, gate.port));
  let grown = Number.POSITIVE_INFINITY;
  const isLevel = async () => {
    grown = ((await heap()) - before) / 2 ** 20;
    return grown < 4;
  };
  // The last reset may still be on its way.
  t.ok(await until(isLevel), `${grown.toFixed(1)} MiB`);
  const inFlight = () => metric(gate.adminUrl, 'gatehouse_upstream_requests_in_flight{upstream="api"}');
  t.ok(await until(async () => (await inFlight()) === 0), 'requests of connections that were reset during a write too');
  upstream.behave({});
  const session = await http2Client(t, gate.port);
  const answers = await Promise.all(Array.from({ length: 90 }, () => askHttp2(session, { ':path': '/a' })));
  t.ok(
    answers.every(({ status }) => status === 200),
    'nothing of it counts as in flight',
  );
});

async function metric(adminUrl: string, name: string): Promise<number> {
  const lines = (await (await fetch(`${adminUrl}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(name))?.slice(name.length));
}
