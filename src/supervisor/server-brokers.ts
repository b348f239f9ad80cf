import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { GatewayLog } from '../gateway/message/fault-log.ts';
import type { EventLog } from '../gateway/receiver/event-log.ts';
import { failed } from '../gateway/server-client/fetch-json.ts';
import { trustOf } from '../gateway/server-client/trust.ts';
import type { PrimaryVerbs, SentKeys } from './messages.ts';
import { openDesk, type ServerBroker } from './server-broker.ts';
import type { WorkerHandlers } from './worker-process.ts';

/** The brokers of all authorization servers of a process group. */
export interface ServerBrokers {
  /** Name of a server in this file → the id of its broker. A broker that this file no longer needs is closed later. */
  open(config: GatewayConfig, directory: string): Record<string, string>;
  /** Every broker without one of these ids is closed later. */
  keep(ids: Iterable<string>): void;
  find(id: string): ServerBroker | undefined;
  readonly answers: Pick<WorkerHandlers['answers'], 'fetch' | 'endpoint' | 'keys'>;
  close(): Promise<void>;
}

export interface ServerBrokersOptions {
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** What servers reported to this gateway. */
  readonly received?: EventLog | undefined;
  readonly came: (id: string, keys: SentKeys) => void;
  /**
   * Milliseconds for which a broker stays open without an active file that needs it. It stays longer while its feed is
   * followed.
   */
  readonly patience?: number;
}

/** Milliseconds. A request that began under an older file may still need its server. */
const LINGER = 600_000;
const CLOSED = failed('the configuration of this authorization server is no longer active');

/** Equal settings give equal ids. */
function idOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url');
}

async function endpointOf(
  desk: ServerBroker,
  member: PrimaryVerbs['endpoint']['asked']['member'],
): Promise<PrimaryVerbs['endpoint']['told']> {
  return (await desk.endpoint(member)) ?? null;
}

export function openServerBrokers({ came, patience = LINGER, ...shared }: ServerBrokersOptions): ServerBrokers {
  const desks = new Map<string, ServerBroker>();
  const leaving = new Map<string, NodeJS.Timeout>();

  const stay = (id: string) => {
    clearTimeout(leaving.get(id));
    leaving.delete(id);
  };
  const enter = (id: string, open: () => ServerBroker) => {
    stay(id);
    if (!desks.has(id)) desks.set(id, open());
  };
  const linger = (id: string) => void leaving.set(id, setTimeout(end, patience, id).unref());
  const end = (id: string) => {
    const desk = desks.get(id);
    // A stream that began under an older file must still end with its token.
    if (desk?.feed?.isFollowed === true) return linger(id);
    desks.delete(id);
    leaving.delete(id);
    void desk?.close();
  };
  const leave = (id: string) => {
    if (!leaving.has(id)) linger(id);
  };
  const keep = (ids: Iterable<string>) => {
    const kept = new Set(ids);
    for (const id of desks.keys()) kept.has(id) ? stay(id) : leave(id);
  };
  const at = <Told>({ desk }: { desk: string }, ask: (desk: ServerBroker) => Told, none: Told): Told => {
    const found = desks.get(desk);
    return found === undefined ? none : ask(found);
  };
  return {
    open({ authorization_servers, development }, directory) {
      const named = Object.entries(authorization_servers).map(([name, config]) => {
        const trust = trustOf(config, { directory });
        const id = idOf([name, config, development, trust]);
        const options = { name, config, development, directory, trust, ...shared };
        enter(id, () => openDesk({ ...options, came: (keys) => came(id, keys) }));
        return [name, id] as const;
      });
      keep(named.map(([, id]) => id));
      return Object.fromEntries(named);
    },
    keep,
    find: (id) => desks.get(id),
    answers: {
      fetch: (asked) => at(asked, (desk) => desk.fetch(asked.request), Promise.resolve(CLOSED)),
      endpoint: (asked) => at(asked, (desk) => endpointOf(desk, asked.member), Promise.resolve(CLOSED)),
      keys: (asked) => at(asked, (desk) => desk.keys(asked.have), Promise.resolve({ version: 0, set: CLOSED })),
    },
    async close() {
      for (const timer of leaving.values()) clearTimeout(timer);
      await Promise.all([...desks.values()].map((desk) => desk.close()));
    },
  };
}
