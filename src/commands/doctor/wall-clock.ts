import { bad, good, type Probe } from './finding.ts';
import type { Around, Subject } from './subject.ts';

/** No token that this program sees was issued before it was written, and a clock without a battery starts at 1970. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Seconds of 32 bits with a sign end here, and certificates long before. */
const LATEST = Date.UTC(2038, 0, 19);

/** Whether this machine knows roughly what time it is. */
export function wallClock(_: Subject, { clock }: Pick<Around, 'clock'>): readonly Probe[] {
  const look = () => {
    const now = clock.now();
    const shown = new Date(now).toISOString();
    if (now >= EARLIEST && now < LATEST) return good(shown);
    return bad(`${shown} cannot be`, 'set the clock, and let NTP keep it: tokens and certificates are judged by it');
  };
  return [{ about: 'the clock of this machine', look }];
}
