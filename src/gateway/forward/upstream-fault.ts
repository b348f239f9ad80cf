import { UnknownCoding } from '../client/response-fields.ts';
import type { Code } from '../message/codes.ts';

/** The client's answer for an upstream error: 502 for a wrong or missing answer, 504 for a timeout. */
const byCode: Readonly<Record<string, Code>> = {
  UND_ERR_CONNECT_TIMEOUT: 'upstream_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'upstream_timeout',
  UND_ERR_BODY_TIMEOUT: 'upstream_timeout',
  ETIMEDOUT: 'upstream_timeout',
  UND_ERR_SOCKET: 'upstream_invalid',
  UND_ERR_HEADERS_OVERFLOW: 'upstream_invalid',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'upstream_invalid',
  ERR_HTTP_INVALID_STATUS_CODE: 'upstream_invalid',
  ERR_HTTP_INVALID_HEADER_VALUE: 'upstream_invalid',
  ERR_HTTP_TRAILER_INVALID: 'upstream_invalid',
  ERR_INVALID_CHAR: 'upstream_invalid',
  ERR_INVALID_HTTP_TOKEN: 'upstream_invalid',
  NO_HTTP2: 'upstream_invalid',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'upstream_invalid',
  INVALID_ANSWER: 'upstream_invalid',
  ECONNRESET: 'upstream_invalid',
  EPIPE: 'upstream_invalid',
  OTHER_PROTOCOL: 'upstream_invalid',
  EVENT_TOO_LONG: 'upstream_invalid',
  EVENT_UNREADABLE: 'upstream_invalid',
  // undici asserts some conditions that a server can violate.
  ERR_ASSERTION: 'upstream_invalid',
  UND_ERR_INVALID_ARG: 'internal_error',
  UND_ERR_NOT_SUPPORTED: 'internal_error',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'internal_error',
};

/** Network and TLS errors have a code. An error without a code is a defect of the gateway. */
export function upstreamFault(error: Error): Code {
  if (error.name === 'HTTPParserError' || error instanceof UnknownCoding) return 'upstream_invalid';
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return 'internal_error';
  return byCode[code] ?? (code.startsWith('ERR_HTTP2_') ? 'upstream_invalid' : 'upstream_unreachable');
}

const CUTS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the connection ended before any answer. */
export function wasCut(error: Error): boolean {
  return CUTS.has((error as NodeJS.ErrnoException).code ?? '');
}
