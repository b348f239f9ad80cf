import { seconds } from '../../base/clock.ts';
import type { Attempted } from '../../storage/records/records.ts';
import type { Service } from '../service/service.ts';
import type { AuditFacts } from '../telemetry/audit.ts';

/** `refused`: the receiver will never accept it. `failed`: a later attempt may succeed. */
export type DeliveryResult = 'told' | 'refused' | 'failed';

/** The result of one attempt. `detail`: why the receiver was not told. */
export interface DeliveryAttempt {
  readonly result: DeliveryResult;
  readonly detail?: string | undefined;
}

/** How one kind of notices is stored, counted and audited. */
export interface Ledger<Notice> {
  /** The audit event of success, and the beginning of the others. */
  readonly event: 'backchannel_logout' | 'security_event';
  drop(notice: Notice): Promise<void>;
  delay(notice: Notice, nextAt: number): Promise<void>;
  count(notice: Notice, result: DeliveryResult): void;
  /** Names the receiver in the audit log. */
  receiver(notice: Notice): AuditFacts;
  /** Says the rest about the notice. */
  facts(notice: Notice): AuditFacts;
}

/** Stores the result of an attempt: the notice ends, or waits for the next attempt. */
export async function settle<Notice extends Attempted>(
  { clock, audit }: Pick<Service, 'clock' | 'audit'>,
  { event, drop, delay, count, receiver, facts }: Ledger<Notice>,
  notice: Notice,
  { result, detail }: DeliveryAttempt,
): Promise<void> {
  count(notice, result);
  const now = seconds(clock);
  const why = detail === undefined ? {} : { detail };
  if (result === 'failed' && now - notice.createdAt < LONGEST) {
    await delay(notice, now + waitAfter(notice.attempts));
    audit.count(`${event}_delayed`, { ...receiver(notice), ...why });
    return;
  }
  await drop(notice);
  const ending = result === 'told' ? event : (`${event}_${result}` as const);
  audit.record(ending, { ...receiver(notice), ...facts(notice), ...why });
}

/** Seconds after which the service gives up. */
const LONGEST = 24 * 3600;

/** Seconds until the next attempt: 2, 4, 8 … and an hour at most. */
export function waitAfter(attempts: number): number {
  return Math.min(2 ** attempts, 3600);
}
