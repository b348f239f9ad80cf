import { headersLookedAt, parametersLookedAt } from '../../config/rules/looked-at.ts';
import { fold } from '../../config/words/fold-name.ts';
import { decodeForm } from '../routing/form-parameters.ts';
import {
  eachPair,
  type FieldReading,
  foldParameter,
  headerReader,
  parameterReader,
} from '../routing/lenient-fields.ts';
import type { Conditioned } from '../routing/match-conditions.ts';
import { isQueryUnclear, queryDecodedFirst } from '../routing/query-decoded-first.ts';
import { type Unseen, unseenIn } from './unseen.ts';

/**
 * Names a value that an expression reads and that occurs twice or in an ambiguous spelling. Undefined: there is none.
 * With two values, the gateway cannot know which one the upstream uses, and `!=` would be true for both.
 */
export type RepeatedReads = (request: Conditioned) => string | undefined;

export function repeatedReads(when: string, unseen: Unseen = unseenIn({})): RepeatedReads {
  const headers = headersLookedAt({ match: { path: '/' }, when });
  const parameters = parametersLookedAt(when);
  const looks = [
    ...(headers === 'any' ? [anyHeader(unseen)] : [...headers].filter((name) => !unseen.header(name)).map(oneHeader)),
    ...(parameters === 'any' ? [anyParameter] : [...parameters].map(oneParameter)),
  ];
  return (request) => {
    for (const look of looks) {
      const found = look(request);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function oneHeader(name: string): RepeatedReads {
  const read = headerReader(name);
  return ({ head }) => (isDoubtful(read(head)) ? `header ${name}` : undefined);
}

function oneParameter(name: string): RepeatedReads {
  const read = parameterReader(name);
  return ({ head, query }) => (isDoubtful(read({ target: head.target, query })) ? `query ${name}` : undefined);
}

function isDoubtful({ values, lenient }: FieldReading): boolean {
  return values.length > 1 || lenient.length !== values.length || lenient[0] !== values[0];
}

/** Fields whose lines form one list by definition (RFC 9110 §5.3). Proxies and clients may send several lines. */
const LISTS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'baggage',
  'cache-control',
  'connection',
  'content-encoding',
  'content-language',
  'forwarded',
  'if-match',
  'if-none-match',
  'link',
  'pragma',
  'prefer',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'signature',
  'signature-input',
  'te',
  'tracestate',
  'trailer',
  'upgrade',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

function anyHeader(unseen: Unseen): RepeatedReads {
  return ({ head: { fields } }) => {
    const found = new Map<string, string>();
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] as string;
      if (unseen.header(name)) continue;
      const before = found.get(fold(name));
      if (before !== undefined && (before !== name || !LISTS.has(name))) return 'a header';
      found.set(fold(name), name);
    }
    return undefined;
  };
}

/** A name with brackets is a separate name, unless the same name without brackets is also there. */
function anyParameter({ head, query }: Conditioned): string | undefined {
  const known = new Set<string>();
  let isDoubtful = query.includes(';') || isPartedOtherwise(head.target, query);
  if (!isDoubtful)
    eachPair(query, '&', (key) => {
      const name = foldParameter(decodeForm(key));
      isDoubtful = known.has(name);
      known.add(name);
      return isDoubtful;
    });
  const isTwin = (name: string) => name.includes('[') && known.has(name.slice(0, name.indexOf('[')));
  return isDoubtful || known.values().some(isTwin) ? 'a query parameter' : undefined;
}

/** Whether a server that decodes the query before it splits it would see other parameters. */
function isPartedOtherwise(target: string, query: string): boolean {
  const decodedFirst = queryDecodedFirst(target);
  if (decodedFirst === undefined) return false;
  return isQueryUnclear(target) || pairsOf(decodedFirst) !== pairsOf(query);
}

function pairsOf(query: string): string {
  const pairs: string[] = [];
  eachPair(query, '&;', (key, value) => pairs.push(decodeForm(key), decodeForm(value())) === 0);
  return JSON.stringify(pairs);
}
