import { isLoopback } from './host.ts';
import type { Finding, Pointer } from './problem.ts';

/** An absolute URL, or undefined. */
export function parseUrl(text: string): URL | undefined {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

/** The connection to an endpoint must be protected, so that no one can read or change its content. */
export function endpointFaults(at: Pointer, text: string | undefined, development: boolean): readonly Finding[] {
  if (text === undefined) return [];
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return [{ pointer: at, message: 'not an https URL', hint: 'write the whole URL: https://auth.example.com/…' }];
  if (url.username !== '' || url.password !== '')
    return [{ pointer: at, message: 'a URL here must not have a username and password' }];
  if (url.hash !== '' || text.endsWith('#'))
    return [{ pointer: at, message: 'a URL here must not have a fragment', hint: 'leave out `#` and what follows' }];
  if (url.protocol === 'https:' || isLoopback(url.hostname) || development) return [];
  return [
    {
      pointer: at,
      message: 'others can read and change http traffic between machines',
      hint: 'use https, or write `development: true` if this is not a risk for you',
    },
  ];
}

/** RFC 8414 §2: https, no query, no fragment. */
export function issuerFaults(at: Pointer, text: string, development: boolean): readonly Finding[] {
  const faults = endpointFaults(at, text, development);
  if (faults.length > 0 || !text.includes('?')) return faults;
  return [
    { pointer: at, message: 'an issuer must not have a query (RFC 8414 §2)', hint: 'leave out `?` and what follows' },
  ];
}
