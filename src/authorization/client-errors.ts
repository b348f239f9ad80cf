import type { Socket } from 'node:net';
import type { Logger } from 'pino';

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Bytes that are no HTTP request, or come too slowly. The bytes themselves are never logged: they may hold a secret. */
export function buildClientErrorHandler(log: Logger) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    log.debug({ code: error.code }, 'not a request');
    const body = '{"error":"invalid_request"}';
    const head = [
      `HTTP/1.1 ${statuses[error.code ?? ''] ?? '400 Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
}
