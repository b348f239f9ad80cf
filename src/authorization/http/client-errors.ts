import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Handles input that is not an HTTP request, or arrives too slowly. The bytes are never logged: they may contain a secret. */
export function buildClientErrorHandler(log: Logger) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const request_id = randomUUID();
    log.debug({ code: error.code, request_id }, 'not a request');
    const body = JSON.stringify({ error: 'invalid_request', request_id });
    const head = [
      `HTTP/1.1 ${statuses[error.code ?? ''] ?? '400 Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      `X-Request-Id: ${request_id}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
}
