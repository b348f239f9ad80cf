import type { Code } from './codes.ts';

/** What an error of the upstream's side means to the client: 502 where it answered wrongly or not at all, 504 in silence. */
const byCode: Readonly<Record<string, Code>> = {
  UND_ERR_CONNECT_TIMEOUT: 'upstream_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'upstream_timeout',
  UND_ERR_BODY_TIMEOUT: 'upstream_timeout',
  ETIMEDOUT: 'upstream_timeout',
  UND_ERR_SOCKET: 'upstream_invalid',
  UND_ERR_HEADERS_OVERFLOW: 'upstream_invalid',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'upstream_invalid',
  ECONNRESET: 'upstream_invalid',
  EPIPE: 'upstream_invalid',
};

export function upstreamFault(error: Error): Code {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (error.name === 'HTTPParserError') return 'upstream_invalid';
  return byCode[code] ?? 'upstream_unreachable';
}
