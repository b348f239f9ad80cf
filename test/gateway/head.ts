import { type RequestHead, readHead } from '../../src/gateway/message/request-head.ts';

/** The head of a request with these header lines, from no particular peer. */
export function headOf(rawHeaders: readonly string[] = [], method = 'GET', target = '/'): RequestHead {
  const origin = {
    address: '127.0.0.1',
    secure: false,
    chain: '127.0.0.1',
    host: undefined,
    requestId: undefined,
    isProxied: false,
  };
  return readHead({ method, target, version: '1.1', origin, rawHeaders });
}
