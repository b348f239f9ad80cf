import { credentialPlacesOf, type SchemeBlocks } from '../../config/schema/http-schemes.ts';
import { fold } from '../../config/words/fold-name.ts';

/**
 * Expressions cannot read credentials. No rule may depend on a credential, and no error in a log may contain a
 * credential.
 */
export interface Unseen {
  /** `name`: in lower case. */
  header(name: string): boolean;
  readonly parameters: ReadonlySet<string>;
}

const HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie']);
const PARAMETER = 'access_token';

/** For a route: also hides the credentials of its own schemes, in every spelling of a header. */
export function unseenIn(route: SchemeBlocks): Unseen {
  const places = credentialPlacesOf(route);
  const [headers, parameters] = (['header', 'query'] as const).map((where) =>
    places.filter((place) => place.in === where).map(({ name }) => name),
  ) as [string[], string[]];
  const folded = new Set(headers.map(fold));
  return {
    header: folded.size === 0 ? isAlwaysUnseen : (name) => isAlwaysUnseen(name) || folded.has(fold(name)),
    parameters: new Set([PARAMETER, ...parameters]),
  };
}

function isAlwaysUnseen(name: string): boolean {
  return HEADERS.has(name);
}
