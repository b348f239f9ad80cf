import { readdirSync, readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { PAGE } from '../../../src/authorization/feed/pages.ts';
import { seconds, systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { EventRecord, Records } from '../../../src/storage/records/records.ts';
import { basic, requests, shop } from '../../authorization/running-service.ts';
import { ready, type ServiceProcess, spawnService, writeConfig } from '../../authorization/service-process.ts';
import { heapInUse, probedFlags, resident } from '../../support/memory.ts';
import type { Followers } from './followers.ts';

/** The client of all followers. */
export const edge = { id: 'edge', secret: 'cs_edge-secret-of-32-bytes-or-more' };

const encryptionKey = Buffer.alloc(32, 7).toString('base64');

const extra = `
  - { client_id: ${edge.id}, client_secret: ${edge.secret}, grant_types: [], events: true }
tokens: { max_a_minute: 0 }
encryption_keys: ['${encryptionKey}']
admin: 127.0.0.1:0
`;

/** `gatehouse authorization` in a separate process that reports its heap. */
export interface FeedService extends ReturnType<typeof requests> {
  readonly url: string;
  /** Of the feed. */
  readonly events: string;
  readonly pid: number;
  /** Resolves to false if the service does not answer. */
  revoke(token: string): Promise<boolean>;
  /** New tokens. */
  tokens(count: number): Promise<readonly string[]>;
  memory(): Promise<Memory>;
  /** Milliseconds of processor that all its threads used so far. */
  cpu(): number;
  /** `kill -9`. */
  kill(): Promise<void>;
}

/** Bytes. */
export interface Memory {
  /** Of the heap, after a collection. */
  readonly heap: number;
  readonly resident: number;
}

export async function feedService(t: Test, directory: string, storage: string): Promise<FeedService> {
  const wrapper = ['env', `NODE_OPTIONS=${probedFlags.join(' ')}`];
  const process = spawnService(t, writeConfig(directory, { storage, extra }), { wrapper });
  const url = await ready(process);
  const pid = process.child.pid as number;
  const asks = requests(url);
  return {
    ...asks,
    url,
    events: `${url}/oauth2/events`,
    pid,
    tokens: (count) => tokensOf(asks, count),
    revoke: async (token) => (await asks.post('/oauth2/revoke', { token }, basic(shop)).catch(noAnswer)).status === 200,
    memory: async () => ({ heap: await heapOf(process), resident: resident(pid) * 1024 }),
    cpu: () => cpuTime(pid),
    async kill() {
      process.child.kill('SIGKILL');
      await process.ended;
    },
  };
}

/** Requests at the same time. */
const AT_ONCE = 10;

async function tokensOf({ token }: Pick<FeedService, 'token'>, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let left = count; left > 0; left -= AT_ONCE)
    tokens.push(...(await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => token()))));
  return tokens;
}

/** The store itself, for changes beside the processes. */
export async function storeBeside(t: Test, directory: string, storage: string): Promise<Records> {
  const records = await openRecords(storage, { directory, clock: systemClock, encryptionKeys: [encryptionKey] });
  t.teardown(() => records.close());
  return records;
}

/** All kept events after this number. */
export async function eventsOf(
  { listEvents }: Pick<Records, 'listEvents'>,
  since = 0,
): Promise<readonly EventRecord[]> {
  return listEvents(since, 1_000_000);
}

interface Denied {
  readonly count: number;
  /** Begins each `jti`. */
  readonly name: string;
  /** Seconds until their tokens expire. */
  readonly seconds: number;
}

/** Writes revocations of JWTs into the store, as many as in one page of the feed at a time. */
export async function denyMany({ denyJwt }: Pick<Records, 'denyJwt'>, denied: Denied): Promise<void> {
  const now = seconds(systemClock);
  for (let done = 0; done < denied.count; done += PAGE) {
    const names = Array.from(
      { length: Math.min(PAGE, denied.count - done) },
      (_, index) => `${denied.name} ${done + index}`,
    );
    await Promise.all(names.map((jti) => denyJwt(jti, now + denied.seconds, now)));
  }
}

const noAnswer = () => ({ status: 0 });

function heapOf({ child, stderr }: ServiceProcess): Promise<number> {
  return heapInUse({ pid: child.pid as number, output: stderr });
}

/** The kernel counts nanoseconds for each thread. */
function cpuTime(pid: number): number {
  const directory = `/proc/${pid}/task`;
  const spent = readdirSync(directory).map((thread) => readFileSync(`${directory}/${thread}/schedstat`, 'latin1'));
  return spent.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

/** Opens followers, and waits until the feed has told all of them that they have everything. */
export async function followAll(followers: Followers, services: readonly FeedService[], count: number, cursor = 0) {
  await followers.follow({ urls: services.map(({ events }) => events), headers: basic(edge), count, cursor });
  if (!(await followers.areInStep())) throw new Error(`not in step: ${JSON.stringify(await followers.states())}`);
}
