import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Code } from '../codes.ts';
import { type AnswerDetails, answer, reason } from './refuse.ts';

/** What the parser or a timer of the listener found wrong, before there was a request to answer. */
const byCode: Readonly<Record<string, Code>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

export function codeOf(error: NodeJS.ErrnoException): Code {
  return byCode[error.code ?? ''] ?? 'message_malformed';
}

/**
 * Answers on the bare connection and closes it. Where an answer is under way, or owed to a request before this one
 * (RFC 9112 §9.3.2), the connection is closed without another: it would be read as the answer to that request.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  ticketOf: (code: Code) => string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || owesAnswer(socket)) {
    socket.destroy();
    return;
  }
  const code = codeOf(error);
  socket.end(writeRaw(code, { ticket: ticketOf(code) }), 'latin1', () => socket.destroy());
}

interface Pending {
  readonly headersSent: boolean;
  readonly req: IncomingMessage;
}

/** Node's own note of the response whose turn it is; there is no public one. */
function pending(socket: Socket): Pending | undefined {
  return (socket as Socket & { _httpMessage?: Pending | null })._httpMessage ?? undefined;
}

/** Whether an answer has begun on the connection, or is owed to a request that arrived whole. */
export function owesAnswer(socket: Socket): boolean {
  const response = pending(socket);
  return response !== undefined && (response.headersSent || response.req.complete);
}

export function writeRaw(code: Code, details: AnswerDetails): string {
  const { status, headers, body } = answer(code, details);
  let head = `HTTP/1.1 ${status} ${reason(status)}\r\nconnection: close\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
