import type { ClientRequest, ClientResponse } from './client-message.ts';
import type { OwnAnswer } from './problem-response.ts';

/** How many bytes of a refused upload the gateway reads, and for how long. Meanwhile the client can read the answer. */
const BYTES = 1024 * 1024;
const MILLISECONDS = 2000;

/**
 * Answers while the client still sends (RFC 9112 §9.6). An immediate close would reset the connection and lose the
 * answer. So the gateway writes the answer without its end, then reads and discards incoming bytes for a while.
 */
export function discardUpload(request: ClientRequest, response: ClientResponse, own: OwnAnswer): void {
  response.shouldKeepAlive = false;
  response.writeHead(own.status, own.headers as string[]);
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(own.body);
  discardRest(request, () => response.end());
}

/** Keeps reading within the bounds, then calls `done`. The caller closes the connection. */
export function discardRest(request: ClientRequest, done: () => void): void {
  let left = BYTES;
  const timer = setTimeout(finish, MILLISECONDS);
  function finish(): void {
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish);
    request.pause();
    done();
  }
  function count(chunk: Buffer): void {
    left -= chunk.length;
    if (left < 0) finish();
  }
  // The error listener stays, because an error after the bounds has no consequence.
  request.on('data', count).on('end', finish).on('close', finish).on('error', finish);
  request.resume();
}
