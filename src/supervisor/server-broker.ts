import type { Clock } from '../base/clock.ts';
import { within } from '../base/within.ts';
import type { AuthorizationServerConfig } from '../config/schema/gateway.ts';
import type { GatewayLog } from '../gateway/message/fault-log.ts';
import type { EventLog } from '../gateway/receiver/event-log.ts';
import { type FailedFetch, FETCH_DEADLINE, type Fetched } from '../gateway/server-client/fetch-json.ts';
import { keySourceOf } from '../gateway/server-client/key-source.ts';
import { lateAgent } from '../gateway/server-client/late-agent.ts';
import { type MetadataMember, metadata } from '../gateway/server-client/metadata.ts';
import { connectOptions, type Trust } from '../gateway/server-client/trust.ts';
import { feedOf, fetcherOf } from '../gateway/verify/open-authorization-server.ts';
import type { SentKeys, SentRequest } from './messages.ts';
import { type SharedFeed, sharedFeed } from './shared-feed.ts';
import { sharedKeys } from './shared-keys.ts';

/**
 * One authorization server, shared by the whole process group. If several workers need the same answer, the broker asks
 * once.
 */
export interface ServerBroker {
  fetch(request: SentRequest): Promise<Fetched>;
  endpoint(member: MetadataMember): Promise<string | FailedFetch | undefined>;
  keys(have: number): Promise<SentKeys>;
  /** Undefined: the server has no feed. */
  readonly feed: SharedFeed | undefined;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly name: string;
  readonly config: AuthorizationServerConfig;
  readonly development: boolean;
  readonly directory: string;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** What servers reported to this gateway. */
  readonly received?: EventLog | undefined;
  /** Passes a fetched set to every worker. */
  readonly came: (keys: SentKeys) => void;
}

export function openDesk(options: DeskOptions): ServerBroker {
  const { name, config, development, directory, trust, clock, log, received } = options;
  const agent = lateAgent({ connections: config.cache.max_concurrent, connect: connectOptions(trust) });
  const fetch = fetcherOf(agent.dispatcher, trust);
  const about = metadata({ issuer: config.issuer, development, fetch, clock, ttl: config.jwks.ttl });
  const source = keySourceOf(config, { fetch, about, directory });
  const flights = new Map<string, Promise<Fetched>>();
  const open = feedOf(name, config, { about, trust, clock, log, received });
  return {
    fetch(request) {
      const key = sameQuestion(request);
      const flight = flights.get(key) ?? within(FETCH_DEADLINE, (signal) => fetch({ ...unpack(request), signal }));
      flights.set(key, flight);
      const landed = () => flights.get(key) === flight && flights.delete(key);
      return flight.finally(landed);
    },
    endpoint: (member) => (isRequired(member) ? about.endpoint(member) : about.optional(member)),
    keys: sharedKeys({ source, cooldown: config.jwks.cooldown, clock, came: options.came }),
    // Do not share an in-flight answer with callers that arrive after a revocation.
    feed: open && sharedFeed(open, { clock, skew: config.clock_skew, news: () => flights.clear() }),
    async close() {
      this.feed?.close();
      await agent.release();
    },
  };
}

function isRequired(member: MetadataMember): member is 'jwks_uri' | 'introspection_endpoint' {
  return member === 'jwks_uri' || member === 'introspection_endpoint';
}

/** Client assertions differ each time (RFC 7523 §3) but mean the same, so only the token counts. */
function sameQuestion({ url, form, headers }: SentRequest): string {
  const token = form === null ? '' : (new URLSearchParams(form).get('token') ?? form);
  return JSON.stringify([url, token, headers.authorization ?? '']);
}

function unpack({ url, form, headers, judgeType }: SentRequest) {
  const body = form === null ? {} : { form: new URLSearchParams(form) };
  return { url, headers, judgeType, ...body };
}
