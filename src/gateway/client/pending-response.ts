import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's own note of the response whose turn it is on a connection of HTTP/1.1; there is no public one. */
export function pendingOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Whether an answer has begun on the connection, or is owed to a request that arrived whole. */
export function owesResponse(socket: Socket): boolean {
  const response = pendingOn(socket);
  return response !== undefined && (response.headersSent || response.req.complete);
}
