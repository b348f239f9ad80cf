import { fetchFault } from '../../gateway/server-client/fetch-json.ts';

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no address was found for this hostname',
  EAI_AGAIN: 'the DNS servers do not answer',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers there',
  UND_ERR_HEADERS_TIMEOUT: 'nothing answers there',
  TimeoutError: 'nothing answers there',
  AbortError: 'nothing answers there',
};

/** Why a request had no answer. */
export function requestFault(error: unknown): string {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const code = isLate ? error.name : fetchFault(error);
  return texts[code] ?? code;
}
