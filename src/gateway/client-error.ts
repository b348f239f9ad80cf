import type { Socket } from 'node:net';
import type { Code } from './codes.ts';
import { answer, reason } from './refuse.ts';

/** What the parser or a timer of the listener found wrong, before there was a request to answer. */
const byCode: Readonly<Record<string, Code>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

export function codeOf(error: NodeJS.ErrnoException): Code {
  return byCode[error.code ?? ''] ?? 'message_malformed';
}

/** Answers on the bare connection and closes it; an answer that is under way is cut, never mixed with another. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): Code | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable || answering(socket)) {
    socket.destroy();
    return undefined;
  }
  const code = codeOf(error);
  socket.end(writeRaw(code), 'latin1', () => socket.destroy());
  return code;
}

/** Whether a response to an earlier or to this very request has begun on the connection. */
function answering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return response?.headersSent === true;
}

export function writeRaw(code: Code, allow?: readonly string[]): string {
  const { status, headers, body } = answer(code, { allow });
  let head = `HTTP/1.1 ${status} ${reason(status)}\r\nconnection: close\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
