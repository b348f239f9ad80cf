import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { chooseReads } from '../listener/http1/chosen-reads.ts';
import type { Reader } from './reader-metric.ts';

/** A method of a logger. */
type Tell = (facts: object, words: string) => void;

/** The reader that the file asks for, if this Node.js supports it. `tell` is not called for the default. */
export async function chooseReader({ listener, listen }: GatewayConfig, tell: Tell): Promise<Reader> {
  if (listener === 'node') return 'node';
  const reader = listen.tls === undefined ? await chooseReads() : 'node';
  tell({ listener, reader }, SENTENCES[reader]);
  return reader;
}

const SENTENCES: Readonly<Record<Reader, string>> = {
  node: 'the server of Node.js reads the requests of clients, because they arrive over TLS',
  lent: 'our own listener reads requests whose whole content arrives with the head; it uses one buffer for all reads',
  data: 'our own listener reads requests whose whole content arrives with the head; it uses one buffer for each read, because this Node.js cannot share a buffer',
};
