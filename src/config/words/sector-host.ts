import { isLoopback } from './host.ts';
import { parseUrl } from './url-rules.ts';

/**
 * The host of a redirect address, as the sector of its client (OpenID Connect Core §8.1). Undefined for an app: any app can
 * use loopback, or write the host of a website into an address of its private-use scheme.
 */
export function sectorHost(redirectUri: string): string | undefined {
  const url = parseUrl(redirectUri);
  return url?.protocol === 'https:' && !isLoopback(url.hostname) ? url.hostname : undefined;
}
