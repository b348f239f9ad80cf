import { createServer, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { serving } from '../../support/serving.ts';

export interface OpenEndedUpstream {
  readonly url: string;
  /** Requests that arrived. */
  readonly begun: number;
  /** The ones whose connection is still open and whose answer has not ended. */
  readonly open: number;
}

const CHUNK = 'x'.repeat(1000);

/**
 * An upstream whose answers do not end, so that the connection must end. A target with `silent` gets no answer, one
 * with `endless` an endless answer, and any other a short answer as soon as its body has arrived.
 */
export async function openEndedUpstream(t: Test): Promise<OpenEndedUpstream> {
  const open = new Set<ServerResponse>();
  let begun = 0;
  const server = createServer((request, response) => {
    begun++;
    open.add(response);
    response.on('close', () => open.delete(response));
    request.on('error', () => {}).resume();
    if (request.url?.includes('endless')) keepTalking(response);
    else if (!request.url?.includes('silent')) request.on('end', () => response.end('short'));
  });
  const url = await serving(t, server);
  return {
    url,
    get begun() {
      return begun;
    },
    get open() {
      return open.size;
    },
  };
}

function keepTalking(response: ServerResponse): void {
  const timer = setInterval(() => response.writableNeedDrain || response.write(CHUNK), 1);
  response.on('close', () => clearInterval(timer));
}
