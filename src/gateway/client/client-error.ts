import type { Socket } from 'node:net';
import type { Code } from '../message/codes.ts';
import { answerDecided, owesResponse } from './pending-response.ts';
import { type ProblemDetails, problemResponse, reasonPhrase } from './problem-response.ts';

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Faults that the parser or a timer finds before there is a request to answer. */
const byCode: Readonly<Record<string, Code>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  [LATE]: 'request_timeout',
};

export function codeOf(error: NodeJS.ErrnoException): Code {
  return byCode[error.code ?? ''] ?? 'message_malformed';
}

/** Whether a head did not arrive in its time. */
export function isLate({ code }: NodeJS.ErrnoException): boolean {
  return code === LATE;
}

/** Whether the bytes are not a request. Otherwise the client is too slow, or left in the middle of a request. */
export function isGarbage({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';
}

/**
 * The client has left, or Node.js still reads over TLS although its parser has stopped. In the second case, the lost
 * bytes may have been valid.
 */
const NO_FAULT: ReadonlySet<unknown> = new Set(['ECONNRESET', 'HPE_PAUSED']);

/**
 * Answers on the bare connection and closes it. If the gateway has already decided and recorded an answer to this
 * request, the client gets that answer, so that the request counts once. The connection closes without an answer if an
 * answer is in progress or owed to an earlier request (RFC 9112 §9.3.2). Otherwise the client would assign this answer
 * to that request.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  ticketOf: (code: Code) => string,
): void {
  if (NO_FAULT.has(error.code) || !socket.writable || owesResponse(socket)) {
    socket.destroy();
    return;
  }
  if (answerDecided(socket)) return;
  const code = codeOf(error);
  socket.end(writeRaw(code, { ticket: ticketOf(code) }), 'latin1', () => socket.destroy());
}

export function writeRaw(code: Code, details: ProblemDetails): string {
  const { status, headers, body } = problemResponse(code, details);
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nconnection: close\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
