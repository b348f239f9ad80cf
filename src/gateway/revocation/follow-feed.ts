import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { rest } from '../../base/rest.ts';
import type { FaultLog } from '../message/fault-log.ts';
import type { Authenticate } from '../server-client/client-authentication.ts';
import { type FailedFetch, type FetchJson, failed } from '../server-client/fetch-json.ts';
import { backoff } from './backoff.ts';
import type { FeedSink } from './events.ts';
import { followPolls, followStream, type LinkEnd } from './feed-link.ts';
import { feedStanding } from './feed-standing.ts';

/** Follows one feed while it is open. A caller that wants its messages passes a sink. */
export interface FeedSource {
  start(): void;
  close(): void;
}

/** Where a feed's messages come from: from the server itself, or from a process that follows it for several others. */
export type OpenFeed = (sink: FeedSink) => FeedSource;

export interface FollowOptions {
  /** Undefined: the server answered that it has no feed. A failure: the server did not say if it has one. */
  readonly url: () => Promise<string | FailedFetch | undefined>;
  /** Called with the reason each time that the server answers that it has no feed. */
  readonly absent: (detail: string) => void;
  readonly pollWait: number;
  readonly authenticate: Authenticate;
  readonly dispatcher: Dispatcher;
  readonly fetch: FetchJson;
  readonly clock: Clock;
  readonly faults: FaultLog;
}

/** Milliseconds before the follower retries a stream that an intermediary held back. */
const BUFFERED_FOR = 600_000;
/** Milliseconds before the follower asks a server without a feed again. */
const ABSENT_FOR = 60_000;

/** Follows the feed of an authorization server. After every failure, it continues where it stopped. */
export function followFeed(options: FollowOptions): OpenFeed {
  return (sink) => {
    const over = new AbortController();
    return {
      start: () => void follow(options, sink, over.signal),
      close: () => over.abort(),
    };
  };
}

async function follow(options: FollowOptions, sink: FeedSink, over: AbortSignal): Promise<void> {
  const pauses = backoff();
  const cursor = { last: undefined };
  const standing = feedStanding();
  const told: FeedSink = (message) => {
    if (over.aborted) return;
    if (message.kind === 'in_step') {
      standing.inStep();
      options.faults.recovered();
      pauses.reset();
    }
    sink(message);
  };
  let pollUntil = Number.NEGATIVE_INFINITY;
  while (!over.aborted) {
    const polls = options.clock.monotonic() < pollUntil;
    const end = await link(options, { ...options, sink: told, cursor }, { polls, over });
    if (over.aborted) return;
    if (standing.isAbsent(end)) {
      told({ kind: 'absent' });
      if (end.absent === true) options.absent(end.detail);
      await rest(end.absent === true ? ABSENT_FOR : pauses.next(), over);
      continue;
    }
    if (end.buffered === true) pollUntil = options.clock.monotonic() + BUFFERED_FOR;
    told({ kind: 'lost' });
    options.faults.failed(reasonOf(end), isRefused(end) ? 'error' : 'warn');
    if (end.buffered !== true) await rest(pauses.next(), over);
  }
}

async function link(
  { url, authenticate }: FollowOptions,
  parts: Parameters<typeof followStream>[1],
  { polls, over }: { polls: boolean; over: AbortSignal },
): Promise<LinkEnd> {
  const address = await url();
  if (address === undefined) return NONE;
  if (typeof address !== 'string') return { ...address, unknown: true };
  const who = await authenticate();
  if (who.kind === 'failed') return who;
  return (polls ? followPolls : followStream)({ url: address, who }, parts, over);
}

const NONE: LinkEnd = { ...failed('the server names no feed'), absent: true };

/** The feed refuses the gateway's client. A server may refuse its metadata too, but this says nothing about the client. */
function isRefused({ status, unknown }: LinkEnd): boolean {
  return unknown !== true && (status === 401 || status === 403);
}

/** If the server rejects the gateway's credentials, only the operator can correct this. */
function reasonOf({ detail, status, unknown }: LinkEnd): string {
  if (unknown === true) return `${detail}; if this server has no feed, write \`events: none\``;
  if (status === 401) return `${detail}: the server rejects this gateway's client_id or its secret`;
  return status === 403
    ? `${detail}: this gateway's client may not read the feed; set \`events: true\` for this client`
    : detail;
}
