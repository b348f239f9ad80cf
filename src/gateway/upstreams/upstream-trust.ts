import type { Place } from '../../config/referred-file.ts';
import type { UpstreamTlsConfig } from '../../config/upstream.ts';
import { readUpstreamTls } from '../../config/upstream-tls-files.ts';
import type { UpstreamTrust } from './engine.ts';

/** The files of `tls` as they are now; without any, the authorities of the system. */
export function upstreamTrust(tls: UpstreamTlsConfig | undefined, place: Place): UpstreamTrust {
  if (tls === undefined) return { kind: 'files' };
  const read = readUpstreamTls(tls, place);
  return read.ok ? { kind: 'files', ...read.pem } : { kind: 'nobody' };
}
