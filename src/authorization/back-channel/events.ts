import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { EventRecord } from '../../storage/records/records.ts';
import type { Start } from '../feed/cursor.ts';
import type { Feed } from '../feed/feed.ts';
import { bytesOf, frameOf, inStep, memberOf, resetEvent } from '../feed/frames.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readQuery } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { authenticateClient } from './client-auth.ts';
import { BoundedStream } from './event-stream.ts';

/** The revocation feed. A gateway learns within a second what it must reject from now on. */
export function eventsEndpoint(service: Service): Endpoint {
  return {
    name: 'events',
    method: 'GET',
    head: false,
    paths: ['/oauth2/events'],
    // Without this field, a proxy that buffers answers would delay urgent events.
    headers: { 'x-accel-buffering': 'no' },
    async handle(request, reply) {
      const asked = await readAsked(service, request);
      // `close` comes only once. After it, nothing would release the place.
      if (reply.raw.destroyed) return reply.hijack();
      const leave = service.feed.take();
      if (leave === undefined) throw unavailable('too many followers, or the service is stopping');
      reply.raw.once('close', leave);
      const start = await service.feed.begin(asked.cursor);
      if (asked.wait !== undefined) return waitForEvents(service.feed, start, { ...asked, wait: asked.wait, reply });
      const events = stream(service, start, reply);
      endWithRight(service, request, events);
      return reply.type('text/event-stream').send(events);
    },
  };
}

interface Asked {
  readonly cursor: number;
  /** Seconds; undefined: a stream. */
  readonly wait: number | undefined;
}

async function readAsked(service: Service, request: FastifyRequest): Promise<Asked> {
  const parameters = readQuery(service, request);
  await requireFollower(service, request, parameters);
  // The browser's EventSource sends this field when it reconnects, to its first URL.
  const cursor = request.headers['last-event-id'] || parameters.get('since') || '0';
  const wait = parameters.get('wait');
  return { cursor: readCursor(String(cursor)), wait: wait === undefined ? undefined : readWait(wait) };
}

async function requireFollower(service: Service, request: FastifyRequest, parameters: Parameters): Promise<void> {
  const client = await authenticateClient(service, request, parameters);
  if (client.isPublic)
    throw new OAuthError('invalid_client', { description: 'A public client cannot follow the feed.' });
  if (!client.events) throw new OAuthError('follower_refused');
}

/** Milliseconds. */
const LOOK_AGAIN = 10_000;

/** A stream does not end by itself: this ends it when its client is removed or loses its secret. */
function endWithRight(service: Service, request: FastifyRequest, events: BoundedStream): void {
  const parameters = readQuery(service, request);
  const look = () =>
    requireFollower(service, request, parameters).catch((error: unknown) => {
      // If the store does not answer, the feed has nothing to send either.
      if (error instanceof OAuthError) events.end();
    });
  const timer = setInterval(look, LOOK_AGAIN).unref();
  events.once('close', () => clearInterval(timer));
}

function readCursor(text: string): number {
  const cursor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(cursor)) return cursor;
  throw new OAuthError('invalid_request', { description: 'The cursor is not a number from this feed.' });
}

const LONGEST_WAIT = 60;

function readWait(text: string): number {
  const wait = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (wait <= LONGEST_WAIT) return wait;
  throw new OAuthError('invalid_request', { description: 'wait must be a number of seconds, at most 60.' });
}

function stream({ feed, storeOutage }: Service, start: Start, reply: FastifyReply): BoundedStream {
  const events = new BoundedStream();
  void tell(feed, start, events).catch((error) => {
    if (!storeOutage.met(error)) reply.log.warn({ err: error }, 'the feed could not send all events to a follower');
    events.destroy();
  });
  return events;
}

/** Sends the stored events page by page, then new events as they come. */
async function tell(feed: Feed, { since: cursor, reset }: Start, events: BoundedStream): Promise<void> {
  if (reset !== undefined) events.write(frameOf(resetEvent(reset)));
  const write = (news: readonly EventRecord[]) => events.write(bytesOf(news));
  let since = cursor;
  let stop: (() => void) | undefined;
  const listener = { hear: write, inStep: () => void events.write(inStep), end: () => events.end() };
  while (stop === undefined) {
    const page = await feed.read(since);
    since = page.at(-1)?.seq ?? since;
    if (page.length > 0) write(page);
    await events.ready();
    if (events.isOver) return;
    stop = page.length === 0 ? feed.listen(since, listener) : undefined;
  }
  events.once('close', stop);
  events.write(inStep);
}

interface Waiting extends Asked {
  readonly wait: number;
  readonly reply: FastifyReply;
}

/** Answers at once if there are events. Otherwise waits for the next event, and answers with none after the given time. */
async function waitForEvents(feed: Feed, { since, reset }: Start, { wait, reply }: Waiting): Promise<object> {
  const before = reset === undefined ? [] : [memberOf(resetEvent(reset))];
  const kept = await feed.read(since);
  const news = kept.length > 0 || reset !== undefined ? kept : await nextEvents(feed, since, { wait, reply });
  if (news.length === 0 && !feed.isInStep) throw unavailable('the events cannot be read');
  return { events: [...before, ...news.map(memberOf)], next: news.at(-1)?.seq ?? since };
}

async function nextEvents(
  feed: Feed,
  since: number,
  { wait, reply }: Pick<Waiting, 'wait' | 'reply'>,
): Promise<readonly EventRecord[]> {
  const { promise, resolve } = Promise.withResolvers<readonly EventRecord[]>();
  const nothing = () => resolve([]);
  const stop = feed.listen(since, { hear: resolve, end: nothing });
  if (stop === undefined) return feed.read(since);
  const timer = setTimeout(nothing, wait * 1000).unref();
  reply.raw.once('close', nothing);
  // The client may have left while the service read the table.
  if (reply.raw.destroyed) nothing();
  const news = await promise;
  clearTimeout(timer);
  stop();
  return news;
}

function unavailable(detail: string): OAuthError {
  return new OAuthError('temporarily_unavailable', { detail, headers: { 'retry-after': '5' } });
}
