import { connectionRemedy } from '../message/connection-faults.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import { abortCode } from './abort-reasons.ts';
import { wasCut } from './upstream-fault.ts';

/** Where the request was sent. */
interface Place {
  /** The upstream's name in the file. */
  readonly name: string;
  readonly url: Pick<UpstreamUrl, 'authority'>;
}

const OF_UPSTREAM: ReadonlySet<string> = new Set(['upstream_unreachable', 'upstream_invalid', 'upstream_timeout']);

/** What happened, for logs and `why`: a fault of an upstream, with its name and the host of its URL. Never a path. */
export function faultWords(error: Error, place: Place, words = faultOf): string {
  if (!OF_UPSTREAM.has(abortCode(error))) return error.message || error.constructor.name;
  return `upstreams.${place.name} at ${place.url.authority}: ${words(error)}`;
}

/** An answer had begun, so the upstream speaks the right protocol. */
export function cutWords(error: Error, place: Place): string {
  return `cut short: ${faultWords(error, place, (cut) => (wasCut(cut) ? `${codeOf(cut)}: it closed the connection` : faultOf(cut)))}`;
}

function faultOf(error: Error): string {
  const code = codeOf(error);
  const remedy = connectionRemedy(code);
  if (remedy !== undefined) return `${code}: ${remedy}`;
  return isOpenssl(error.message) ? `${code}: the TLS handshake failed` : error.message || code;
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.constructor.name;
}

/** Such a message contains an address in memory, and names of functions. */
function isOpenssl(message: string): boolean {
  return /:error:[0-9A-F]{8}:/.test(message);
}
