import type { Server as HttpsServer, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { CannotListen } from '../../base/listen.ts';
import { type ReadTls, readTls } from '../../config/files/tls-files.ts';
import type { Listen, TlsConfig } from '../../config/schema/listener.ts';

/** Milliseconds for a TLS handshake. An unknown client cannot occupy a connection for longer. */
const HANDSHAKE_TIMEOUT = 10_000;

/** The options for node:https. If a file became invalid after the configuration check, listening fails. */
export function tlsOptions({ host, port, tls }: Listen & { tls: TlsConfig }, directory: string): ServerOptions {
  const read = readTls(tls, { directory });
  if (!read.ok) throw new CannotListen(`${host}:${port} has no TLS: ${read.faults[0]?.message}`, { cause: read });
  return {
    ...contextOptions(read.pem),
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    requestCert: tls.client_auth !== 'none',
    rejectUnauthorized: tls.client_auth === 'required',
  };
}

type Pem = Extract<ReadTls, { ok: true }>['pem'];

function contextOptions({ cert, key, client_ca: ca }: Pem) {
  return { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' as const };
}

/** A handshake failure has no request that could be answered. */
export function guardHandshakes(server: HttpsServer, { client_auth }: TlsConfig): void {
  // Node.js would treat the failure as a bad request. It would answer a TLS client in plain text, or the reverse.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  if (client_auth === 'optional') server.on('secureConnection', endUnproved);
}

/** `optional` allows clients without a certificate. It does not allow an untrusted certificate. */
function endUnproved(socket: TLSSocket): void {
  const shown = socket.getPeerX509Certificate() !== undefined;
  if (shown && !socket.authorized) socket.destroy();
}

export interface TlsRenewal {
  readonly tls: TlsConfig;
  readonly directory: string;
  readonly log: Logger;
  /** A client authority was removed from the file. */
  readonly authorityGone: () => void;
}

/**
 * Reads the files again, for new connections. Invalid files change nothing, because an older certificate is better than
 * none. Open connections were accepted under the old authorities, so `authorityGone` handles them.
 */
export function tlsRenewal(server: HttpsServer, { tls, directory, log, authorityGone }: TlsRenewal): () => void {
  const first = readTls(tls, { directory });
  let authorities = certificatesOf(first.ok ? first.pem.client_ca : undefined);
  return () => {
    const read = readTls(tls, { directory });
    if (!read.ok) {
      log.error(
        { faults: read.faults.map(({ message }) => message) },
        'cannot load the new TLS files; the previous certificate stays',
      );
      return;
    }
    server.setSecureContext(contextOptions(read.pem));
    const before = authorities;
    authorities = certificatesOf(read.pem.client_ca);
    if (!before.isSubsetOf(authorities)) authorityGone();
  };
}

/** The PEM blocks of a file, without their line breaks. */
function certificatesOf(pem: Buffer | undefined): ReadonlySet<string> {
  const blocks = String(pem ?? '').match(/-----BEGIN [\s\S]*?-----END /g) ?? [];
  return new Set(blocks.map((block) => block.replace(/\s/g, '')));
}
