import type { FileContext } from '../../config/files/referred-file.ts';
import { readTls } from '../../config/files/tls-files.ts';
import type { UpstreamTlsConfig } from '../../config/schema/upstream.ts';
import type { UpstreamTrust } from './engine.ts';

/** The current files of `tls`. Without files, the authorities of the system. */
export function upstreamTrust(tls: UpstreamTlsConfig | undefined, place: FileContext): UpstreamTrust {
  if (tls === undefined) return { kind: 'files' };
  const read = readTls(tls, place);
  if (!read.ok) return { kind: 'none' };
  const { ca, cert, key } = read.pem;
  return {
    kind: 'files',
    ...(ca && { ca: text(ca) }),
    ...(cert && { cert: text(cert) }),
    ...(key && { key: text(key) }),
  };
}

function text(pem: Buffer): string {
  return pem.toString('latin1');
}
