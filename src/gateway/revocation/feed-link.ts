import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { rest } from '../../base/rest.ts';
import { isObject, type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import type { Authentication } from '../server-client/client-authentication.ts';
import { type FailedFetch, type FetchJson, failed, fetchFault } from '../server-client/fetch-json.ts';
import { statusFault } from '../server-client/status-fault.ts';
import { EventStreamReader, type StreamItem } from './event-stream.ts';
import { type FeedSink, readEvent } from './events.ts';

/** The URL of a feed, and the gateway's credentials. */
export interface FeedAddress {
  readonly url: string;
  readonly who: Authentication;
}

export interface LinkParts {
  readonly dispatcher: Dispatcher;
  readonly fetch: FetchJson;
  readonly sink: FeedSink;
  /** The number of the last processed event. The link updates it. */
  readonly cursor: { last: number | undefined };
  /** Seconds for which one long poll waits for events. */
  readonly pollWait: number;
}

/** Milliseconds: the time of three missing comments. */
export const SILENCE = 15_000;
/** Milliseconds. A long poll must be answered at most this long after its wait. */
const POLL_GRACE = 10_000;
/** Milliseconds between two long polls without events. An intermediary may ignore the wait, and answer each poll at once. */
const SHORTEST_POLL = 1_000;

/** Why a link ended, or why there was none. */
export type LinkEnd = FailedFetch & {
  /** An intermediary holds the stream back, so the follower must use polls. */
  readonly buffered?: boolean;
  /** The server answered that it has no feed. */
  readonly absent?: boolean;
  /** The server did not say if it has a feed. */
  readonly unknown?: boolean;
};

/** Follows one event stream until it ends, and returns why. Never rejects. */
export async function followStream(address: FeedAddress, parts: LinkParts, signal: AbortSignal): Promise<LinkEnd> {
  const watch = new AbortController();
  const timer = setTimeout(() => watch.abort(), SILENCE);
  const state = { bytes: 0, accepted: true };
  try {
    const answer = await request(address.url, {
      dispatcher: parts.dispatcher,
      signal: AbortSignal.any([signal, watch.signal]),
      headers: { accept: 'text/event-stream', ...address.who.headers, ...lastEventId(parts) },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A cancelled body emits an error that has no consequence.
    answer.body.on('error', () => {});
    const fault = judgeHead(answer, address.url);
    state.accepted = fault === undefined;
    if (fault === undefined) return await readStream(answer.body, parts, timer, state);
    answer.body.destroy();
    return fault;
  } catch (error) {
    if (!watch.signal.aborted) return failed(fetchFault(error));
    return { ...failed(`silent for ${SILENCE} ms`), buffered: state.accepted && state.bytes === 0 };
  } finally {
    clearTimeout(timer);
  }
}

function lastEventId({ cursor }: LinkParts): Record<string, string> {
  return cursor.last === undefined ? {} : { 'last-event-id': String(cursor.last) };
}

function judgeHead(answer: Dispatcher.ResponseData, url: string): FailedFetch | undefined {
  const { statusCode, headers } = answer;
  const wrong = statusFault(answer, url);
  if (wrong !== undefined) return failed(wrong, statusCode);
  const type = String(headers['content-type'] ?? '').toLowerCase();
  if (!/^text\/event-stream(?:[ \t]*;|$)/.test(type)) return failed('the answer is not an event stream', statusCode);
  return (headers['content-encoding'] ?? 'identity') === 'identity'
    ? undefined
    : failed('the answer has a content coding', statusCode);
}

async function readStream(
  body: Readable,
  parts: LinkParts,
  timer: NodeJS.Timeout,
  state: { bytes: number },
): Promise<FailedFetch> {
  const stream = new EventStreamReader();
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    state.bytes += chunk.length;
    for (const item of stream.read(chunk)) {
      const fault = item.kind === 'fault' ? item.detail : take(item, parts);
      if (fault !== undefined) {
        body.destroy();
        return failed(fault, 200);
      }
      timer.refresh();
    }
  }
  return failed('the stream ended');
}

/**
 * Processes one item. Returns a fault if the item does not belong in a feed. A comment means that all earlier events
 * were sent.
 */
function take(item: StreamItem, { sink, cursor }: LinkParts): string | undefined {
  if (item.kind === 'comment') {
    sink({ kind: 'in_step' });
    return undefined;
  }
  const data = parseJsonObject(Buffer.from(item.data));
  const seq = item.id === undefined ? undefined : sequence(Number(item.id));
  if (data === undefined || seq === undefined) return 'an event has no number or no data';
  return tell(item.event, data, sink) ?? advance(cursor, seq);
}

function advance(cursor: LinkParts['cursor'], seq: number): undefined {
  cursor.last = seq;
}

/** Returns a fault if the gateway cannot know what the event ends. */
function tell(kind: string, data: JsonObject, sink: FeedSink): string | undefined {
  if (kind === 'reset') {
    sink({ kind: 'reset' });
    return undefined;
  }
  const event = readEvent(kind, data);
  if (event === undefined) return 'an event has an unknown form';
  sink({ kind: 'event', event });
  return undefined;
}

function sequence(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** Follows a feed with repeated polls, until one fails. Never rejects. */
export async function followPolls(address: FeedAddress, parts: LinkParts, signal: AbortSignal): Promise<LinkEnd> {
  try {
    return await pollOn(address, parts, signal);
  } catch (error) {
    return failed(fetchFault(error));
  }
}

/** Each poll waits for events. A poll without events proves that the gateway has them all. */
async function pollOn(address: FeedAddress, parts: LinkParts, signal: AbortSignal): Promise<LinkEnd> {
  for (let wait = 0; ; ) {
    const begun = performance.now();
    const answer = await poll(address, parts, { wait, signal });
    if (typeof answer !== 'number') return answer;
    if (answer === 0) parts.sink({ kind: 'in_step' });
    if (answer === 0 && wait > 0) await rest(Math.max(0, SHORTEST_POLL - (performance.now() - begun)), signal);
    wait = answer === 0 ? parts.pollWait : 0;
  }
}

/** Returns the number of events. */
async function poll(
  { url, who }: FeedAddress,
  parts: LinkParts,
  { wait, signal }: { wait: number; signal: AbortSignal },
): Promise<number | FailedFetch> {
  const asked = new URL(url);
  if (parts.cursor.last !== undefined) asked.searchParams.set('since', String(parts.cursor.last));
  asked.searchParams.set('wait', String(wait));
  const limits = { signal: AbortSignal.any([signal, AbortSignal.timeout(wait * 1000 + POLL_GRACE)]) };
  const answer = await parts.fetch({ url: asked.href, ...limits, headers: who.headers });
  return answer.kind === 'failed' ? answer : takePolled(answer.value, parts);
}

function takePolled({ events, next }: JsonObject, { sink, cursor }: LinkParts): number | FailedFetch {
  const seq = sequence(next);
  if (!Array.isArray(events) || seq === undefined) return failed('not the answer of a feed', 200);
  for (const each of events as unknown[]) {
    const fault = isObject(each) && typeof each.kind === 'string' ? tell(each.kind, each, sink) : 'not an event';
    if (fault !== undefined) return failed(fault, 200);
  }
  cursor.last = seq;
  return events.length;
}
