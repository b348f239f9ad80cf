import type { Dispatcher } from 'undici';

type Head = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

/**
 * The fault of an answer by its status alone. Undefined for 200. The gateway does not follow redirects: only the
 * configured server may answer, and a credential in the request is for that server only.
 */
export function statusFault({ statusCode, headers }: Head, url: string): string | undefined {
  if (statusCode === 200) return undefined;
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400 && typeof location === 'string';
  return isRedirect ? `status ${statusCode}: ${REDIRECT} ${place(location, url)}` : `status ${statusCode}`;
}

/** `doctor` recognizes a redirect by these words. */
export const REDIRECT = 'the gateway does not follow the redirect to';

/** Characters. A DNS name is shorter. */
const LONGEST = 300;

/** Only the origin, because path and query may contain a code or a token. */
function place(location: string, url: string): string {
  if (!URL.canParse(location, url)) return 'no address';
  const { protocol, origin } = new URL(location, url);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && origin.length <= LONGEST ? origin : 'an address that is too long, or neither http: nor https:';
}
