import type { Logger } from 'pino';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { chooseReads } from '../listener/http1/chosen-reads.ts';
import type { Reader } from './reader-metric.ts';

type Log = Pick<Logger, 'info' | 'debug'>;

/** The reader that the file asks for, if this Node.js supports it. Only the fallback is news for an operator. */
export async function chooseReader(
  { listener, listen }: GatewayConfig,
  log: Log,
  tryReads = chooseReads,
): Promise<Reader> {
  if (listener === 'node') return 'node';
  const reader = listen.tls === undefined ? await tryReads() : 'node';
  log[reader === 'data' ? 'info' : 'debug']({ listener, reader }, SENTENCES[reader]);
  return reader;
}

const SENTENCES: Readonly<Record<Reader, string>> = {
  node: 'the server of Node.js reads the requests of clients, because they arrive over TLS',
  lent: 'our own listener reads requests whose whole content arrives with the head; it uses one buffer for all reads',
  data: 'our own listener reads requests whose whole content arrives with the head; it uses one buffer for each read, because this Node.js cannot share a buffer',
};
