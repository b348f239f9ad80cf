import type { Logger } from 'pino';
import { type Clock, forgettingClock } from '../base/clock.ts';
import { nextRun } from '../base/next-run.ts';
import type { EventRecord } from '../storage/records/records.ts';
import type { FeedListener } from './feed/feed.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { logoutOutbox } from './logout/send-notice.ts';
import { buildSender, type OutboxSender } from './outbox/sender.ts';
import { removeUnused } from './registration/unused-clients.ts';
import { eventOutbox } from './security-events/push-event.ts';
import type { Bell } from './service/bell.ts';
import type { Service } from './service/service.ts';

const batch = 1_000;

export interface Chore {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly every: number;
  /** A run with several steps ends after the current step if the signal says that the service stops. */
  readonly run: (service: Service, stopping: AbortSignal) => Promise<unknown>;
  /** Ends the work that a run has left behind. */
  readonly stop?: () => Promise<void>;
  /** The first run is at the start of the service. */
  readonly atOnce?: true;
  /** Starts a run at once. A ring during a run starts another run after it. */
  readonly wokenBy?: (service: Service) => Bell;
}

/** Milliseconds between two regular checks for signing keys. */
const KEYS_EVERY = 10_000;

export const choresOf = (clock: Clock, log: Logger, keysEvery = KEYS_EVERY): readonly Chore[] => [
  sweeping(forgettingClock(clock)),
  removingUnused(forgettingClock(clock)),
  takingUpKeys(log, keysEvery),
  sendingNotices(log),
  { name: 'checking the cost of password hashes', every: 60_000, run: ({ decoys }) => decoys.refresh() },
];

/** Runs regular chores. Returns a function that stops them, and waits for the running ones. */
export function startHousekeeping(service: Service, log: Logger, todo: readonly Chore[]): () => Promise<void> {
  const stops = todo.map((chore) => repeat(chore, service, log));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Logs a failure. An outage of the store has one line for all chores. */
function failedBy(name: string, { storeOutage }: Service, log: Logger): (error: unknown) => void {
  return (error) => {
    if (!storeOutage.met(error)) log.warn({ err: error }, `${name} failed`);
  };
}

/** A chore never runs twice at once. A failure is logged and retried. */
function repeat(
  { name, every, run, stop, atOnce, wokenBy }: Chore,
  service: Service,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const attempt = nextRun(async () => {
    if (!signal.aborted) await run(service, signal).catch(failedBy(name, service, log));
  });
  const schedule = (wait = every) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(once, wait).unref();
  };
  const once = () => {
    running = attempt().then(() => schedule());
  };
  wokenBy?.(service).listen(once);
  schedule(atOnce ? 0 : every);
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    await running;
    await stop?.();
  };
}

/**
 * Sends logout tokens and security events at once when a session ends in this process, and regularly for changes in another
 * process. The feed reports most of these changes earlier.
 */
function sendingNotices(log: Logger): Chore {
  const name = 'sending logout tokens and security events';
  let senders: readonly OutboxSender[] | undefined;
  return {
    name,
    every: 2_000,
    async run(service) {
      senders ??= await openSenders(service, failedBy(name, service, log));
      await Promise.all(senders.map((sender) => sender.look()));
    },
    stop: async () => void (await Promise.all((senders ?? []).map((sender) => sender.stop()))),
    atOnce: true,
    wokenBy: ({ sessionEnded }) => sessionEnded,
  };
}

async function openSenders(service: Service, failed: (error: unknown) => void): Promise<readonly OutboxSender[]> {
  const logouts = buildSender(service, logoutOutbox(service), failed);
  if (service.config.security_events.receivers.length === 0) return [logouts];
  await service.feed.follow({ hear: () => service.sessionEnded.ring(), end() {} });
  return [logouts, buildSender(service, eventOutbox(service), failed)];
}

/** Deletes in small batches, so that no request waits for long. */
function sweeping(forgetting: () => number): Chore {
  const run = async ({ records }: Service, stopping: AbortSignal) => {
    while (!stopping.aborted && (await records.sweep(forgetting(), batch)) >= batch);
  };
  return { name: 'sweeping', every: 60_000, run };
}

function removingUnused(forgetting: () => number): Chore {
  const run = (service: Service, stopping: AbortSignal) => removeUnused(service, forgetting(), stopping);
  return { name: 'removing unused clients', every: 60_000, run };
}

/**
 * Regularly rotates keys whose time has come. If a leaked key is replaced, the feed reports it, and this process drops the key
 * at once. Tokens depend on the keys in the store in any case, but until then this process still publishes the old public key.
 */
function takingUpKeys(log: Logger, every: number): Chore {
  const name = 'checking for new signing keys';
  let isFollowing = false;
  const run = async (service: Service) => {
    const { feed, keys } = service;
    if (!isFollowing) await feed.follow(replacements(keys, failedBy(name, service, log)));
    isFollowing = true;
    await keys.refresh();
  };
  return { name, every, run, atOnce: true };
}

function replacements(keys: SigningKeys, failed: (error: unknown) => void): FeedListener {
  const isOurs = ({ kind, key }: EventRecord) => kind === 'kid' && keys.current.kids.has(key);
  return {
    hear: (events) => void (events.some(isOurs) && keys.look().catch(failed)),
    end() {},
  };
}
