import { normalizeHost } from './host.ts';
import type { Problem } from './problem.ts';

/**
 * An origin as browsers send it (RFC 6454 §6.2): scheme, host, and the port if it is not the default. `null`: a page
 * without an origin of its own, such as a local file.
 */
export function webOriginFault(text: string): Pick<Problem, 'message' | 'hint'> | undefined {
  if (text === '*')
    return {
      message: '`*` would let pages of every origin send requests, so the list would protect nothing',
      hint: 'name the origins, or leave out `origins` to accept every page',
    };
  const serialized = serializedOrigin(text);
  if (serialized === text.toLowerCase()) return undefined;
  const hint =
    serialized === undefined ? 'scheme://host[:port], without wildcards' : `write ${serialized}, as browsers send it`;
  return { message: `\`${text}\` is not an origin`, hint };
}

const WEB = /^https?:\/\//i;
/** Origins with another scheme than HTTP. Pages of apps and browser extensions have them. */
const OTHER = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9_.-]+(?::[0-9]{1,5})?$/;

function serializedOrigin(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (!WEB.test(text)) return lower === 'null' || OTHER.test(lower) ? lower : undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && normalizeHost(url.host) !== undefined ? url.origin : undefined;
}
