import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { readTls } from '../../config/files/tls-files.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

const DAY = 86_400_000;
/** Days. An automatic renewal happens earlier than this. */
const SOON = 14;

/** How long a certificate is still valid. `whose`: who renews it. */
export function judgeDays({ validFrom, validTo }: X509Certificate, clock: Clock, whose: string): Seen {
  const now = clock.now();
  const days = Math.floor((Date.parse(validTo) - now) / DAY);
  const renew = `renew ${whose}`;
  if (Date.parse(validFrom) > now)
    return bad(`the certificate is not valid before ${validFrom}`, 'check the clock of this machine');
  if (days < 0) return bad(`the certificate expired on ${validTo}`, renew);
  return days < SOON ? doubtful(`the certificate expires in ${days} days`, renew) : good(`${days} days left`);
}

/** The certificates that the gateway shows to clients, operators and upstreams. Each must fit its key, and stay valid for a while. */
export function certificates({ config, directory }: LoadedGatewayFile, around: DoctorContext): readonly DoctorProbe[] {
  const upstreams = Object.entries(config.upstreams).map(([name, { tls }]) => [`upstreams.${name}.tls`, tls] as const);
  const own = [['listen.tls', config.listen.tls] as const, ['admin.tls', config.admin?.tls] as const];
  return [...own, ...upstreams].flatMap(([at, tls]) => {
    if (tls?.cert === undefined) return [];
    const { cert } = tls;
    const look = (): Seen => {
      const read = readTls(tls, { directory });
      return read.ok ? days(read.pem.cert ?? '', cert, around) : fault(read.faults);
    };
    return [{ about: `${at} ${cert}`, look }];
  });
}

/** The first certificate of the file is the gateway's own. */
function days(pem: Buffer | string, file: string, { clock }: DoctorContext): Seen {
  const seen = judgeDays(
    new X509Certificate(pem),
    clock,
    `the file ${file}; the gateway reads it again when it changes`,
  );
  return { ...seen, message: `fits its key; ${seen.message}` };
}

function fault([first]: readonly { readonly message: string; readonly hint?: string }[]): Seen {
  return bad(first?.message ?? 'the files cannot be used', first?.hint ?? 'name the files that belong together');
}
