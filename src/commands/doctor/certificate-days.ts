import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { bad, doubtful, good, type Seen } from './finding.ts';

const DAY = 86_400_000;
/** Days in which a certificate that renews itself would have been renewed. */
const SOON = 14;

/** How long a certificate still holds. `whose`: who renews it. */
export function judgeDays({ validFrom, validTo }: X509Certificate, clock: Clock, whose: string): Seen {
  const now = clock.now();
  const days = Math.floor((Date.parse(validTo) - now) / DAY);
  const renew = `renew ${whose}`;
  if (Date.parse(validFrom) > now)
    return bad(`the certificate holds only from ${validFrom} on`, 'see whether the clock of this machine is right');
  if (days < 0) return bad(`the certificate expired on ${validTo}`, renew);
  return days < SOON ? doubtful(`the certificate expires in ${days} days`, renew) : good(`${days} days left`);
}
