import type { Server as HttpsServer, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { CannotListen } from '../../base/listen.ts';
import { type ReadTls, readTls } from '../../config/files/tls-files.ts';
import type { Listen, TlsConfig } from '../../config/schema/listener.ts';

/** Milliseconds for a handshake: a stranger holds no connection for longer without having said who it is for. */
const HANDSHAKE_TIMEOUT = 10_000;

/** What node:https needs to listen; a file that went bad since it was checked is an address that cannot be had. */
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

/** A failure before the first request has no one to answer. */
export function guardHandshakes(server: HttpsServer, { client_auth }: TlsConfig): void {
  // Node.js would take it for a bad request and answer in plain text on what the client takes for TLS, or the reverse.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  if (client_auth === 'optional') server.on('secureConnection', endUnproved);
}

/** `optional` is for clients without a certificate. An untrusted certificate is worse than none. */
function endUnproved(socket: TLSSocket): void {
  const shown = socket.getPeerX509Certificate() !== undefined;
  if (shown && !socket.authorized) socket.destroy();
}

export interface TlsRenewal {
  readonly tls: TlsConfig;
  readonly directory: string;
  readonly log: Logger;
  /** An authority of clients is gone from the file. */
  readonly authorityGone: () => void;
}

/**
 * Reads the files again, for new connections. Bad ones change nothing: an older certificate is better than none. Open
 * connections were proved by the authorities of their time, which `authorityGone` is for.
 */
export function tlsRenewal(server: HttpsServer, { tls, directory, log, authorityGone }: TlsRenewal): () => void {
  const first = readTls(tls, { directory });
  let authorities = certificatesOf(first.ok ? first.pem.client_ca : undefined);
  return () => {
    const read = readTls(tls, { directory });
    if (!read.ok) {
      log.error({ faults: read.faults.map(({ message }) => message) }, 'TLS continues with the previous certificate');
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
