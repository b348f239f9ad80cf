import { createServer, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { serving } from '../../support/serving.ts';

export interface OpenEndedUpstream {
  readonly url: string;
  /** Requests that came. */
  readonly begun: number;
  /** Of these, those whose connection is still there and whose answer has not ended. */
  readonly open: number;
}

const CHUNK = 'x'.repeat(1000);

/**
 * An upstream whose answers do not end: the connection is what must end. A target with `silent` gets no answer, with
 * `endless` one without end, any other a short one as soon as its body is there.
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
