import { seconds } from '../../base/clock.ts';
import { nextRun } from '../../base/next-run.ts';
import type { LogoutNotice } from '../../storage/records/records.ts';
import type { Service } from '../service/service.ts';
import { sendNotice } from './send-notice.ts';

/** Logout tokens that one process sends at the same time. */
const MOST = 200;
/**
 * Logout tokens that one process sends to one client at the same time. A client that answers slowly delays only its own
 * tokens.
 */
const SHARE = 8;
/** Seconds for which a process has a notice alone, beside the time limit of a request. */
const LEASE = 5;

export interface NoticeSender {
  /** Starts to send all due logout tokens, and waits for no client. */
  look(): Promise<void>;
  /** Waits for the requests under way, and starts no other. */
  stop(): Promise<void>;
}

/** `failed`: hears why a notice stays for a later attempt. */
export function buildNoticeSender(service: Service, failed: (error: unknown) => void): NoticeSender {
  const sending = new Map<Promise<void>, string>();
  let isStopped = false;
  const look = nextRun(async () => {
    while (!isStopped && sending.size < MOST) {
      const taken = await take(service, MOST - sending.size, busyClients(sending));
      if (taken.length === 0) return;
      for (const notice of taken) start(notice);
    }
  });
  const start = (notice: LogoutNotice) => {
    const sent: Promise<void> = sendNotice(service, notice)
      .catch(failed)
      .then(() => ended(sent, notice));
    sending.set(sent, notice.clientId);
  };
  /** More notices may be due that had to wait for this request. */
  const ended = (sent: Promise<void>, { clientId }: LogoutNotice) => {
    const wasFull = sending.size >= MOST || busyClients(sending).includes(clientId);
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

function take(
  { records, clock, config }: Service,
  limit: number,
  except: readonly string[],
): Promise<readonly LogoutNotice[]> {
  const now = seconds(clock);
  const leaseUntil = now + LEASE + Math.ceil(config.outbound.timeout / 1000);
  return records.takeLogoutNotices({ now, leaseUntil, limit, share: SHARE, except });
}

/** The clients that get no more tokens at the moment. */
function busyClients(sending: ReadonlyMap<unknown, string>): readonly string[] {
  const counts = Map.groupBy(sending.values(), (clientId) => clientId);
  return [...counts].filter(([, { length }]) => length >= SHARE).map(([clientId]) => clientId);
}
