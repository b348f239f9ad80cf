import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The response whose turn it is on an HTTP/1.1 connection. Node.js has no public name for it. */
export function pendingOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Whether an answer has begun on the connection, or is owed to a completely received request. */
export function owesResponse(socket: Socket): boolean {
  const response = pendingOn(socket);
  return response !== undefined && (response.headersSent || response.req.complete);
}
