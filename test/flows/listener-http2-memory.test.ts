import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { askHttp2, http2Client, http2Listen } from '../support/http2-client.ts';
import { frame } from '../support/http2-frames.ts';
import { block, GET, HEADERS, http2Raw, PING, SETTINGS } from '../support/http2-raw-client.ts';
import { ownResident } from '../support/memory.ts';
import { within } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Fifty thousand frames of each kind. */
t.setTimeout(240_000);

async function scene(t: Test, limits: object = {}) {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { ...http2Listen(), limits }));
  return { ...running, upstream };
}

const streamOf = (index: number) => 2 * index + 1;

t.test('frames that require an answer but are no request use no memory: pings, settings, priorities', async (t) => {
  const { port, upstream } = await scene(t);
  const other = await http2Client(t, port);
  const frames = {
    ping: frame(PING, 0, 0, Buffer.alloc(8)),
    settings: frame(SETTINGS, 0, 0),
    priority: frame(2, 0, 3, Buffer.alloc(5)),
  };
  const pour = async (one: Buffer) => {
    const client = await http2Raw(t, port);
    const before = await ownResident();
    for (let i = 0; i < 500 && !client.closed; i++) {
      client.send(...Array.from({ length: 100 }, () => one));
      await pause(1);
    }
    upstream.forget();
    const answer = await within(askHttp2(other, { ':path': '/public/a' }), 20_000, 'an answer beside it');
    t.equal(answer.status, 200);
    t.equal(upstream.seen.length, 1);
    const grown = ((await ownResident()) - before) / 2 ** 20;
    client.socket.destroy();
    return grown;
  };
  for (const [name, one] of Object.entries(frames)) {
    // Growth from any connection at its beginning is not measured.
    await pour(one);
    const grown = await pour(one);
    t.comment(`${name}: ${grown.toFixed(1)} MiB`);
    t.ok(grown < 64, `${name}: ${grown.toFixed(1)} MiB`);
  }
});

t.test('a small block that expands to a large head uses no memory', async (t) => {
  const { port, upstream } = await scene(t);
  const client = await http2Raw(t, port);
  // RFC 7541 §6.2.1: 4,000 bytes into the dynamic table, then a reference of one byte each.
  const [, name, value] = [
    0,
    Buffer.from([3, 0x78, 0x2d, 0x61]),
    Buffer.from([0x7f, 0xa1, 0x1e, ...Buffer.alloc(4000, 0x78)]),
  ];
  const stored = Buffer.concat([Buffer.from([0x40]), name, value]);
  const before = await ownResident();
  for (let i = 0; i < 50; i++) {
    const bomb = Buffer.concat([block(GET), stored, Buffer.alloc(12_000, 0xbe)]);
    client.send(frame(HEADERS, 5, streamOf(i), bomb));
    await pause(5);
  }
  await pause(200);
  const grown = ((await ownResident()) - before) / 2 ** 20;
  t.ok(grown < 64, `${grown.toFixed(1)} MiB`);
  t.equal(upstream.seen.length, 0);
  const other = await http2Client(t, port);
  t.equal((await askHttp2(other, { ':path': '/public/a' })).status, 200);
});
