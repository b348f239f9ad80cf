import { X509Certificate } from 'node:crypto';
import { readTls } from '../../config/tls-files.ts';
import { readUpstreamTls } from '../../config/upstream-tls-files.ts';
import { judgeDays } from './certificate-days.ts';
import { bad, type Probe, type Seen } from './finding.ts';
import type { Around, GatewaySubject } from './subject.ts';

/** Those that the gateway shows: to clients, and to upstreams. They fit their keys, and hold for a while. */
export function certificates({ config, directory }: GatewaySubject, around: Around): readonly Probe[] {
  const { tls } = config.listen;
  const own = tls === undefined ? [] : [{ about: `listen.tls ${tls.cert}`, look: () => lookAtOwn(tls) }];
  const lookAtOwn = (named: NonNullable<typeof tls>): Seen => {
    const read = readTls(named, { directory });
    return read.ok ? days(read.material.cert, named.cert, around) : fault(read.faults);
  };
  const shown = Object.entries(config.upstreams).flatMap(([name, { tls: files }]) => {
    if (files?.cert === undefined) return [];
    const { cert } = files;
    const look = (): Seen => {
      const read = readUpstreamTls(files, { directory });
      return read.ok ? days(read.pem.cert ?? '', cert, around) : fault(read.faults);
    };
    return [{ about: `upstreams.${name}.tls ${cert}`, look }];
  });
  return [...own, ...shown];
}

/** The first of the file is the own one. */
function days(pem: Buffer | string, file: string, { clock }: Around): Seen {
  const seen = judgeDays(new X509Certificate(pem), clock, `the file ${file}; it is read again when it changes`);
  return { ...seen, message: `fits its key, ${seen.message}` };
}

function fault([first]: readonly { readonly message: string; readonly hint?: string }[]): Seen {
  return bad(first?.message ?? 'the files cannot be used', first?.hint ?? 'name the files that belong together');
}
