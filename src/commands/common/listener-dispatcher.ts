import { Agent, type Dispatcher, getGlobalDispatcher } from 'undici';
import { readTls } from '../../config/files/tls-files.ts';
import type { AskedListener } from './listener-url.ts';

/**
 * Connects a command to a listener of the file. With TLS, the command accepts only the certificate that the file names. Its name
 * does not matter, because the command asks by an address of this machine.
 */
export function listenerDispatcher({ tls }: AskedListener, directory: string): Dispatcher {
  if (tls === undefined) return getGlobalDispatcher();
  const read = readTls({ cert: tls.cert, key: tls.key }, { directory });
  const ca = read.ok ? (read.pem.cert ?? []) : [];
  return new Agent({ connect: { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined } });
}
