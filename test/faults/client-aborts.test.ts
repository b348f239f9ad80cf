import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { imageFlags } from '../../tools/image-flags.ts';
import { behind } from '../support/gateway.ts';
import { heapInUse, probedFlags, resident } from '../support/memory.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { type Random, random } from '../support/random.ts';
import { ask, connectTo, type RawClient } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { type OpenEndedUpstream, openEndedUpstream } from './support/open-ended-upstream.ts';
import { openSockets } from './support/open-sockets.ts';
import { sized } from './support/size.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

const COUNT = sized(200, 10_000, 100_000);
const AT_ONCE = 40;
/** Milliseconds until nothing of them is left. */
const SETTLED = sized(20_000, 5_000, 5_000);

const CHUNKED_BODY = Buffer.concat([
  requestText({ method: 'POST', target: '/public/silent', headers: [['Transfer-Encoding', 'chunked']] }),
  Buffer.from(`3e8\r\n${'y'.repeat(1000)}\r\n`.repeat(5)),
]);

/** Where in its exchange a client disconnects. It has sent a part of the bytes, unless it waits for an answer. */
const leavings: readonly {
  readonly name: string;
  readonly leave: (client: RawClient, dice: Random) => Promise<void>;
}[] = [
  {
    name: 'in the head',
    leave: async (client, dice) => client.send(cut(requestText({ target: '/public/silent' }), dice)),
  },
  {
    name: 'in a body',
    leave: async (client, dice) => {
      client.send(cut(requestText({ method: 'POST', target: '/public/silent', body: 'y'.repeat(5000) }), dice));
      await pause(dice.below(4));
    },
  },
  {
    name: 'in a chunked body',
    leave: async (client, dice) => {
      client.send(cut(CHUNKED_BODY, dice));
      await pause(dice.below(4));
    },
  },
  {
    name: 'while the answer is awaited',
    leave: async (client, dice) => {
      client.send(requestText({ target: '/public/silent' }));
      await pause(dice.below(6));
    },
  },
  {
    name: 'in the answer',
    leave: async (client, dice) => {
      client.send(requestText({ target: '/public/endless' }));
      await client.arrived(1 + dice.below(5000));
    },
  },
  {
    name: 'in the answer, while it still uploads',
    leave: async (client, dice) => {
      client.send(requestText({ method: 'POST', target: '/public/endless', headers: [['Content-Length', '9000']] }));
      client.send('y'.repeat(1 + dice.below(5000)));
      await client.arrived(1 + dice.below(5000));
    },
  },
  {
    name: 'behind a whole exchange',
    leave: async (client, dice) => {
      client.send(requestText({ target: '/public/short' }));
      await client.read();
      client.send(cut(requestText({ target: '/public/silent' }), dice));
    },
  },
];

function cut(bytes: Buffer, dice: Random): Buffer {
  return bytes.subarray(0, dice.below(bytes.length));
}

async function abort(port: number, dice: Random): Promise<void> {
  const client = await connectTo(port);
  await dice.pick(leavings).leave(client, dice);
  if (dice.chance(0.5)) client.socket.resetAndDestroy();
  else client.destroy();
}

async function aborts(port: number, count: number, dice: Random): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await abort(port, dice);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Milliseconds until nothing that they began is left; undefined: something is left. */
async function settled(gateway: GatewayProcess, upstream: OpenEndedUpstream, sockets: number) {
  const start = performance.now();
  const isQuiet = await until(() => upstream.open === 0 && openSockets(gateway.pid) <= sockets, SETTLED);
  return isQuiet ? performance.now() - start : undefined;
}

async function memoryOf(gateway: GatewayProcess) {
  return { heap: await heapInUse(gateway), resident: resident(gateway.pid) };
}

async function before(t: Test, block: object) {
  const upstream = await openEndedUpstream(t);
  const { url } = upstream;
  const config = behind(url, { upstreams: { api: { url, ...block } } });
  const gateway = await startProcess({ config, flags: [...imageFlags, ...probedFlags] });
  t.teardown(() => gateway.stop());
  return { gateway, upstream };
}

for (const { name, block } of upstreamEngines) {
  t.test(
    `${name}: clients that disconnect at any byte end their upstream requests and leave nothing behind`,
    async (t) => {
      const dice = random(141);
      const { gateway, upstream } = await before(t, block);
      const sockets = openSockets(gateway.pid);
      // The memory that any work makes a process use is not measured.
      await aborts(gateway.port, Math.max(COUNT, 500), dice);
      t.ok(await settled(gateway, upstream, sockets), 'the first ones leave nothing behind');
      const first = await memoryOf(gateway);
      const begun = upstream.begun;
      await aborts(gateway.port, COUNT, dice);
      const took = await settled(gateway, upstream, sockets);
      t.ok(
        took !== undefined,
        `within ${SETTLED} ms ${sockets} sockets as before, not ${openSockets(gateway.pid)}, and no request upstream, not ${upstream.open}`,
      );
      t.ok(upstream.begun - begun > COUNT / 3, 'many of them had reached the upstream');
      const last = await memoryOf(gateway);
      t.comment(`settled after ${Math.round(took ?? 0)} ms; ${JSON.stringify({ first, last })}`);
      t.ok(last.heap <= first.heap * 1.05, `the heap grows by ${last.heap - first.heap} of ${first.heap} bytes`);
      // V8's young generation changes by megabytes.
      t.ok(last.resident <= first.resident * 1.1, `from ${first.resident} to ${last.resident} KiB resident`);
      t.equal(
        (await ask(gateway.port, requestText({ target: '/public/short' }))).status,
        200,
        'the next one is served',
      );
      t.ok(gateway.running);
      t.same(throws(gateway.output()), []);
    },
  );
}
