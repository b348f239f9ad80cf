import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { buildPasswords } from '../../src/base/passwords.ts';
import { imageFlags } from '../../tools/image-flags.ts';
import { keepsPace } from '../faults/support/pace.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind } from '../support/gateway.ts';
import { isFullSize } from '../support/long.ts';
import { heapInUse, highWater, probedFlags } from '../support/memory.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { jwt } from '../support/tokens.ts';
import { userFile } from '../support/user-files.ts';

const flooder = fileURLToPath(new URL('../support/password-flood.ts', import.meta.url));
const MIB = 1_048_576;

/** Several times as many as a machine can hash. */
const PER_SECOND = 500;
/** Bearer requests in a turn, one after the other. */
const REQUESTS = isFullSize ? 1500 : 500;
const ROUNDS = 6;

/** Starts programs: 16 s in .ci/run on a busy machine. */
t.setTimeout(900_000);

async function guarded(t: Test): Promise<GatewayProcess> {
  const hashed = await buildPasswords().hash('right');
  const phc = hashed.kind === 'hashed' ? hashed.phc : '';
  const lines = Array.from({ length: 100 }, (_, index) => `user${index}:${phc}\n`);
  const basic = { realm: 'r', users: userFile(t, lines.join('')), allow_insecure: true };
  const routes = [
    { id: 'basic', match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
    { id: 'bearer', match: { path: '/bearer' }, access: 'authenticated' },
  ];
  const config = behind(await echoUpstream(t), { routes, trusted_proxies: ['127.0.0.1'] });
  const running = await startProcess({ config, flags: [...imageFlags, ...probedFlags] });
  t.teardown(() => running.stop());
  return running;
}

/** Milliseconds that 99 % of the requests took at most. */
async function p99({ port }: GatewayProcess, authorization: string, requests: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let index = 0; index < requests; index++) {
    const start = performance.now();
    const [response] = await once(
      request({ port, path: '/bearer', agent, headers: { authorization } }).end(),
      'response',
    );
    await text(response);
    times.push(performance.now() - start);
    if (response.statusCode !== 200) throw new Error(`bearer was answered ${response.statusCode}`);
    await pause(2);
  }
  agent.destroy();
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

interface Flood {
  /** How often each status was the answer. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

function flood({ port }: GatewayProcess): Flood {
  const args = [flooder, `http://127.0.0.1:${port}/basic`, String(PER_SECOND)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  return {
    async stop() {
      child.stdin.end();
      return JSON.parse(await said);
    },
  };
}

t.test('a flood of wrong passwords leaves bearer below twice its p99, or 20 ms, and memory constant', async (t) => {
  const running = await guarded(t);
  const authorization = `Bearer ${await jwt({}, { alg: 'HS256' })}`;
  await p99(running, authorization, 200);
  const first = flood(running);
  await p99(running, authorization, 200);
  await first.stop();
  const [heap, peak] = [await heapInUse(running), highWater(running.pid)];
  const met: string[] = [];
  let held = false;
  // Other work on the machine only adds time, so one good round proves it.
  for (let round = 0; round < ROUNDS && !held; round++) {
    const alone = await p99(running, authorization, REQUESTS);
    const flooding = flood(running);
    await pause(500);
    const flooded = await p99(running, authorization, REQUESTS);
    const statuses = await flooding.stop();
    met.push(`${alone.toFixed(1)} ms alone, ${flooded.toFixed(1)} ms under ${JSON.stringify(statuses)}`);
    held = keepsPace(flooded, Math.max(2 * alone, 20));
    t.ok((statuses['401'] ?? 0) > 0 && (statuses['503'] ?? 0) > 0, 'some are hashed, the rest told to come back');
    t.strictSame(
      Object.keys(statuses).filter((status) => !['401', '429', '503'].includes(status)),
      [],
    );
  }
  t.comment(met.join('; '));
  t.ok(held, met.join('; '));
  const grown = { heap: ((await heapInUse(running)) - heap) / MIB, peak: (highWater(running.pid) - peak) / 1024 };
  t.comment(`heap grew by ${grown.heap.toFixed(1)} MiB, the peak of memory by ${grown.peak.toFixed(1)} MiB`);
  t.ok(grown.heap < 10, `the heap grew by ${grown.heap.toFixed(1)} MiB`);
  t.ok(grown.peak < 96, `the peak of memory grew by ${grown.peak.toFixed(1)} MiB`);
  t.ok(running.running);
});
