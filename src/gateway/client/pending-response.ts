import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The response whose turn it is on an HTTP/1.1 connection. Node.js has no public name for it. */
export function pendingOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Decided answers that wait for the rest of their requests. */
const decided = new WeakMap<object, () => void>();

/** If the rest of the request is not valid, `answer` runs at once. Otherwise the caller sends its answer later. */
export function decidedBeforeRest(response: object, answer: () => void): void {
  decided.set(response, answer);
}

/** Sends the decided answer to a request whose rest cannot be read. False: no such answer waits on this connection. */
export function answerDecided(socket: Socket): boolean {
  const response = pendingOn(socket);
  if (response === undefined || response.req.complete || response.headersSent) return false;
  const answer = decided.get(response);
  answer?.();
  return answer !== undefined;
}

/** Whether an answer has begun on the connection, or is owed to a completely received request. */
export function owesResponse(socket: Socket): boolean {
  const response = pendingOn(socket);
  return response !== undefined && (response.headersSent || response.req.complete);
}
