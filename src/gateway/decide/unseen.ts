import { credentialPlacesOf, type SchemeBlocks } from '../../config/schema/http-schemes.ts';
import { fold } from '../../config/words/fold-name.ts';

/** Credentials are hidden from expressions: no rule must depend on one, and no error in a log may show one. */
export interface Unseen {
  /** `name`: in lower case. */
  header(name: string): boolean;
  readonly parameters: ReadonlySet<string>;
}

const HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie']);
const PARAMETER = 'access_token';

/** On a route: also what its own schemes read, in every spelling of a header. */
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
