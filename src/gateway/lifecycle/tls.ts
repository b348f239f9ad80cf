import type { Server as HttpsServer, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { CannotListen } from '../../base/listen.ts';
import type { Listen, TlsConfig } from '../../config/listener.ts';
import { readTls, type TlsMaterial } from '../../config/tls-files.ts';

/** Milliseconds for a handshake: a stranger holds no connection for longer without having said who it is for. */
const HANDSHAKE_TIMEOUT = 10_000;

/** What node:https needs to listen; a file that went bad since it was checked is an address that cannot be had. */
export function tlsOptions({ host, port, tls }: Listen & { tls: TlsConfig }, directory: string): ServerOptions {
  const read = readTls(tls, { directory });
  if (!read.ok) throw new CannotListen(`${host}:${port} has no TLS: ${read.faults[0]?.message}`, { cause: read });
  return {
    ...contextOptions(read.material),
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    requestCert: tls.client_auth !== 'none',
    rejectUnauthorized: tls.client_auth === 'required',
  };
}

function contextOptions({ cert, key, ca }: TlsMaterial) {
  return { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' as const };
}

/** What goes wrong before there is a request has nobody to answer to. */
export function guardHandshakes(server: HttpsServer, { client_auth }: TlsConfig): void {
  // Node.js would take it for a bad request and answer in plain text on what the client takes for TLS, or the reverse.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  if (client_auth === 'optional') server.on('secureConnection', endUnproved);
}

/** `optional` is for clients without a certificate; one that nobody vouches for is not as good as none. */
function endUnproved(socket: TLSSocket): void {
  const shown = socket.getPeerX509Certificate() !== undefined;
  if (shown && !socket.authorized) socket.destroy();
}

/** Reads the files anew for connections to come. Bad ones change nothing: an older certificate is better than none. */
export function renewTls(server: HttpsServer, tls: TlsConfig, directory: string, log: Logger): void {
  const read = readTls(tls, { directory });
  if (read.ok) server.setSecureContext(contextOptions(read.material));
  else log.error({ faults: read.faults.map(({ message }) => message) }, 'TLS goes on with the certificate from before');
}
