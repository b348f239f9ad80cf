import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { imageFlags } from '../../tools/image-flags.ts';
import { basic, requests } from '../authorization/running-service.ts';
import { openEndedUpstream } from '../faults/support/open-ended-upstream.ts';
import { openSockets } from '../faults/support/open-sockets.ts';
import { type Program, program } from '../faults/support/program.ts';
import { heapInUse, probedFlags, resident } from '../support/memory.ts';
import { random } from '../support/random.ts';
import { until } from '../support/until.ts';
import { type Crowd, lives } from './actions.ts';

/** Minutes of load. */
const MINUTES = Number(process.env.SOAK_MINUTES || 60);
const LISTENER = process.env.GATEHOUSE_LISTENER || 'auto';
const CLIENTS = 32;
/** Milliseconds between two reloads. */
const RELOADS = 10_000;
const SAMPLES = 60;
/** Milliseconds between two samples. */
const PAUSE = (MINUTES * 60_000) / SAMPLES;
/** Seconds. A gateway remembers a revoked token until it expires, so this memory is level after a sixth of the load. */
const TTL = Math.max(60, MINUTES * 10);

/** As long as the load, plus the time to start and settle: an hour with its command, never in .ci/run. */
t.setTimeout((MINUTES + 5) * 60_000);

const client = (id: string, more: string) =>
  `  - { client_id: ${id}, client_secret: ${id}-secret-of-32-bytes-at-least, ${more} }`;
const serviceText = (port: number) => `issuer: http://127.0.0.1:${port}
storage: sqlite:gatehouse.db
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
tokens: { access: { ttl: ${TTL}s } }
log: { level: warn }
clients:
${client('shop', 'scope: orders.read, grant_types: [client_credentials]')}
${client('gateway', 'grant_types: [], introspect: true, events: true')}
`;
const gatewayText = (issuer: string, upstream: string) => `listener: ${LISTENER}
log: { level: warn }
development: true
limits: { header_count: 64 }
upstreams: { api: { url: '${upstream}' } }
defaults: { upstream: api }
authorization_servers:
  main: { issuer: '${issuer}', audience: https://api.example.com, client_id: gateway, client_secret: gateway-secret-of-32-bytes-at-least, cache: { size: 500, negative_size: 500 } }
routes: [{ id: orders, match: { path: '/orders/{x*}' }, scope: orders.read }]
`;

const shop = { id: 'shop', secret: 'shop-secret-of-32-bytes-at-least' };

interface RenewedCrowd extends Crowd {
  /** Replaces the tokens that are accepted, long before they expire. */
  renew(): Promise<void>;
}

async function crowdAt(gateway: Program, service: Program, wrong: Crowd['wrong']): Promise<RenewedCrowd> {
  const asked = requests(service.url);
  const issue = () => asked.token({ resource: 'https://api.example.com' }, shop);
  let lasting = await Promise.all(Array.from({ length: 20 }, issue));
  const renew = async () => {
    lasting = await Promise.all(lasting.map(issue));
  };
  const dice = random(230);
  return {
    port: gateway.port,
    dice,
    wrong,
    renew,
    token: () => dice.pick(lasting),
    async newToken() {
      const token = await issue();
      return { token, revoke: async () => void (await asked.post('/oauth2/revoke', { token }, basic(shop))) };
    },
  };
}

/** A limit goes up and down, so that each reload changes something. */
async function reloads(gateway: Program, over: () => boolean): Promise<number> {
  let count = 0;
  for (; !over(); count++) {
    const text = readFileSync(gateway.file, 'utf8');
    writeFileSync(gateway.file, text.replace(/header_count: \d+/, `header_count: ${64 + (count % 2)}`));
    gateway.child.kill('SIGHUP');
    await until(over, RELOADS);
  }
  return count;
}

async function renewals({ renew }: RenewedCrowd, over: () => boolean): Promise<void> {
  while (!over()) {
    await renew();
    await until(over, (TTL * 1000) / 4);
  }
}

interface Sample {
  /** MiB. */
  readonly heap: number;
  readonly resident: number;
  readonly sockets: number;
}

async function sampleOf(gateway: Program): Promise<Sample> {
  const heap = (await heapInUse(gateway)) / 2 ** 20;
  return { heap, resident: resident(gateway.pid) / 1024, sockets: openSockets(gateway.pid) };
}

async function samples(t: Test, gateway: Program, over: () => boolean): Promise<Sample[]> {
  const all: Sample[] = [];
  while (!over()) {
    const sample = await sampleOf(gateway);
    all.push(sample);
    t.comment(
      `heap ${sample.heap.toFixed(1)} MiB, resident ${sample.resident.toFixed(0)} MiB, ${sample.sockets} sockets`,
    );
    await until(over, PAUSE);
  }
  return all;
}

/** The median of the last third, and of the third before it, because the growth at the start is over by then. */
function thirds(all: readonly Sample[], figure: (sample: Sample) => number): readonly [before: number, last: number] {
  const median = (some: readonly Sample[]) => some.map(figure).sort((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0;
  const size = Math.floor(all.length / 3);
  return [median(all.slice(size, 2 * size)), median(all.slice(2 * size))];
}

t.test(
  `${MINUTES} minutes of mixed load with reloads, revocations and aborts leave memory constant and no socket (listener: ${LISTENER})`,
  async (t) => {
    const upstream = await openEndedUpstream(t);
    const service = await program(t, 'authorization', ({ port }) => serviceText(port));
    const env = { NODE_OPTIONS: [...imageFlags, ...probedFlags].join(' ') };
    const gateway = await program(t, 'gateway', () => gatewayText(service.url, upstream.url), { env });
    const faults: string[] = [];
    const crowd = await crowdAt(gateway, service, (what) => void faults.push(what));
    const before = openSockets(gateway.pid);
    const end = performance.now() + MINUTES * 60_000;
    const over = () => performance.now() >= end || gateway.child.exitCode !== null;
    const [reloaded, , taken, ...counts] = await Promise.all([
      reloads(gateway, over),
      renewals(crowd, over),
      samples(t, gateway, over),
      ...Array.from({ length: CLIENTS }, () => lives(crowd, over)),
    ]);
    t.comment(
      `${counts.reduce((sum, count) => sum + count, 0)} actions, ${reloaded} reloads, ${upstream.begun} requests upstream`,
    );
    t.strictSame(faults.slice(0, 5), [], `${faults.length} wrong answers`);
    t.equal(gateway.child.exitCode, null);
    const isQuiet = () => upstream.open === 0 && openSockets(gateway.pid) <= before + 8;
    t.ok(
      await until(isQuiet),
      `${openSockets(gateway.pid)} sockets, ${before} before; ${upstream.open} requests upstream`,
    );
    for (const [name, figure] of [
      ['heap', ({ heap }: Sample) => heap],
      ['resident', (sample: Sample) => sample.resident],
    ] as const) {
      const [earlier, last] = thirds(taken, figure);
      t.ok(last <= earlier * 1.1, `${name}: ${earlier.toFixed(1)} MiB, then ${last.toFixed(1)} MiB`);
    }
    t.notMatch(gateway.output(), /"level":"(?:error|fatal)"|uncaught/i);
  },
);
