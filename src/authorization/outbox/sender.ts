import { seconds } from '../../base/clock.ts';
import { nextRun } from '../../base/next-run.ts';
import type { NoticeClaim } from '../../storage/records/records.ts';
import type { Service } from '../service/service.ts';

/** Tokens that one sender sends at the same time. */
const MOST = 200;
/**
 * Tokens that one sender sends to one receiver at the same time. A receiver that answers slowly delays only its own tokens.
 */
const SHARE = 8;
/** Seconds for which a process has a notice alone, beside the time limit of a request. */
const LEASE = 5;

/** One kind of notices. */
export interface Outbox<Notice> {
  /** Takes due notices. The busy receivers get no more at the moment. */
  take(claim: NoticeClaim, busy: readonly string[]): Promise<readonly Notice[]>;
  receiverOf(notice: Notice): string;
  /** Sends one, and stores the result. */
  send(notice: Notice): Promise<void>;
}

export interface OutboxSender {
  /** Starts to send all due notices, and waits for no receiver. */
  look(): Promise<void>;
  /** Waits for the requests under way, and starts no other. */
  stop(): Promise<void>;
}

/** `failed`: hears why a notice stays for a later attempt. */
export function buildSender<Notice>(
  { clock, config }: Pick<Service, 'clock' | 'config'>,
  { take, receiverOf, send }: Outbox<Notice>,
  failed: (error: unknown) => void,
): OutboxSender {
  const sending = new Map<Promise<void>, string>();
  let isStopped = false;
  const claim = (limit: number): NoticeClaim => {
    const now = seconds(clock);
    return { now, leaseUntil: now + LEASE + Math.ceil(config.outbound.timeout / 1000), limit, share: SHARE };
  };
  const look = nextRun(async () => {
    while (!isStopped && sending.size < MOST) {
      const taken = await take(claim(MOST - sending.size), busyOf(sending));
      if (taken.length === 0) return;
      for (const notice of taken) start(notice);
    }
  });
  const start = (notice: Notice) => {
    const receiver = receiverOf(notice);
    const sent: Promise<void> = send(notice)
      .catch(failed)
      .then(() => ended(sent, receiver));
    sending.set(sent, receiver);
  };
  /** More notices may be due that had to wait for this request. */
  const ended = (sent: Promise<void>, receiver: string) => {
    const wasFull = sending.size >= MOST || busyOf(sending).includes(receiver);
    sending.delete(sent);
    if (wasFull && !isStopped) look().catch(failed);
  };
  return {
    look,
    async stop() {
      isStopped = true;
      await Promise.all(sending.keys());
    },
  };
}

/** The receivers that get no more tokens at the moment. */
function busyOf(sending: ReadonlyMap<unknown, string>): readonly string[] {
  const counts = Map.groupBy(sending.values(), (receiver) => receiver);
  return [...counts].filter(([, { length }]) => length >= SHARE).map(([receiver]) => receiver);
}
