import type { Dispatcher } from 'undici';

type Head = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

/**
 * The fault of an answer by its status alone; undefined for 200. Redirects are not followed: only the configured server may
 * answer, and a credential in the request is for that server only.
 */
export function statusFault({ statusCode, headers }: Head, url: string): string | undefined {
  if (statusCode === 200) return undefined;
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400 && typeof location === 'string';
  return isRedirect ? `status ${statusCode}, ${REDIRECT} ${place(location, url)}` : `status ${statusCode}`;
}

/** The end of such a sentence, by which `doctor` recognizes it. */
export const REDIRECT = 'a redirect that is not followed, to';

/** Characters: a name in DNS is shorter. */
const LONGEST = 300;

/** The origin alone: path and query may hold a code or a token. */
function place(location: string, url: string): string {
  if (!URL.canParse(location, url)) return 'no address';
  const { protocol, origin } = new URL(location, url);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && origin.length <= LONGEST ? origin : 'another kind of address';
}
