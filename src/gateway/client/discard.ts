import type { ClientRequest, ClientResponse } from './client-message.ts';
import type { OwnAnswer } from './problem-response.ts';

/** How much of a refused upload is read, and for how long, so that the client gets to see the answer. */
const BYTES = 1024 * 1024;
const MILLISECONDS = 2000;

/**
 * Answers while the client still sends (RFC 9112 §9.6). An immediate close would reset the connection and lose the answer. So
 * the answer is written without its end, and incoming bytes are read and discarded for a while.
 */
export function discardUpload(request: ClientRequest, response: ClientResponse, own: OwnAnswer): void {
  response.shouldKeepAlive = false;
  response.writeHead(own.status, own.headers as string[]);
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(own.body);
  discardRest(request, () => response.end());
}

/** Reads on within the bounds, then calls `done`; the caller closes the connection. */
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
  // The error listener stays. An error after the bounds has no consequence.
  request.on('data', count).on('end', finish).on('close', finish).on('error', finish);
  request.resume();
}
