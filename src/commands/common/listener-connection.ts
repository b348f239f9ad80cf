import { Agent } from 'undici';
import { readTls } from '../../config/files/tls-files.ts';
import type { AskedListener } from './listener-url.ts';

/** How a command connects to a listener of the file. Empty: as to any other address. */
export type ListenerConnection = { readonly dispatcher?: Agent };

/**
 * Connects a command to a listener of the file. With TLS, the command accepts only the certificate that the file names. Its name
 * does not matter, because the command asks by an address of this machine.
 */
export function listenerConnection({ tls }: AskedListener, directory: string): ListenerConnection {
  if (tls === undefined) return {};
  const read = readTls({ cert: tls.cert, key: tls.key }, { directory });
  const ca = read.ok ? (read.pem.cert ?? []) : [];
  const connect = { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  return { dispatcher: new Agent({ connect }) };
}
