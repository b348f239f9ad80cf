import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { chooseReads } from '../listener/http1/chosen-reads.ts';
import type { Reader } from './reader-metric.ts';

/** A method of a log. */
type Tell = (facts: object, words: string) => void;

/** As the file says it, and this Node.js can do it. `tell` is not called for the default. */
export async function chooseReader({ listener, listen }: GatewayConfig, tell: Tell): Promise<Reader> {
  if (listener === 'node') return 'node';
  const reader = listen.tls === undefined ? await chooseReads() : 'node';
  tell({ listener, reader }, SENTENCES[reader]);
  return reader;
}

const SENTENCES: Readonly<Record<Reader, string>> = {
  node: 'the server of Node.js reads the requests of clients, because they arrive over TLS',
  lent: 'our own listener reads requests without content, all into one memory',
  data: 'our own listener reads requests without content, each into a memory of its own, because this Node.js cannot lend one',
};
