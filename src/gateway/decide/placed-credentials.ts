import type { CredentialPlace } from '../../config/schemes/scheme.ts';
import { fold } from '../../config/words/fold-name.ts';
import type { RequestHead } from '../message/request-head.ts';
import { takeParameter } from '../routing/form-parameters.ts';
import { type FieldReading, headerReader, parameterReader } from '../routing/lenient-fields.ts';
import { isQueryUnclear, queryDecodedFirst } from '../routing/query-decoded-first.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';

type Placed = Pick<HttpScheme, 'name' | 'places'>;

/** Credentials in a header or query parameter that belongs to their scheme. */
export interface PlacedCredentials {
  readonly found: readonly PlacedCredential[];
  /** The query without these credentials, with its `?`. */
  readonly query: string;
}

export interface PlacedCredential {
  readonly scheme: string;
  readonly place: 'header' | 'query';
  readonly token: string;
  /** Why the credential is not accepted. Undefined: it is accepted. */
  readonly fault: string | undefined;
}

/**
 * Every credential in the request. A spelling that only some servers read counts, but is never accepted: an upstream
 * could use it although the gateway does not. Undefined: no scheme has its own places, as on nearly every route.
 */
export function placedCredentials(
  head: RequestHead,
  query: string,
  schemes: readonly Placed[],
): PlacedCredentials | undefined {
  if (!schemes.some(({ places }) => places !== undefined)) return undefined;
  const found: PlacedCredential[] = [];
  let rest = query.slice(1);
  for (const { name: scheme, places = [] } of schemes)
    for (const { in: place, name } of places) {
      const { values, lenient } = readings[place](name)({ head, target: head.target, query });
      const taken = place === 'query' ? takeParameter(rest, name) : { values, rest };
      rest = taken.rest;
      found.push(...taken.values.map((token) => ({ scheme, place, token, fault: undefined })));
      if (lenient.some((reading) => holdsOther(reading, taken.values)))
        found.push({ scheme, place, token: '', fault: `the request has another spelling of ${name}` });
    }
  return { found, query: rest === query.slice(1) ? query : rest === '' ? '' : `?${rest}` };
}

/** Whether a lenient server finds a different credential than the one that the gateway removes. */
function holdsOther(reading: readonly string[], taken: readonly string[]): boolean {
  return reading.length > taken.length || reading.some((value) => !taken.includes(value));
}

/** The values as the RFC reads them, and as each kind of lenient server may read them. */
interface Readings {
  readonly values: readonly string[];
  readonly lenient: readonly (readonly string[])[];
}

interface Looked {
  readonly head: RequestHead;
  readonly target: string;
  /** With its `?`. */
  readonly query: string;
}

const readings: Readonly<Record<CredentialPlace['in'], (name: string) => (request: Looked) => Readings>> = {
  header(name) {
    const read = headerReader(name);
    return ({ head }) => inOneWay(read(head));
  },
  /** If the path contains an encoded `?`, a server that decodes first finds parameters after it. They count, too. */
  query(name) {
    const read = parameterReader(name);
    return ({ target, query }) => {
      if (!isQueryUnclear(target)) return inOneWay(read({ target, query }));
      const { values, lenient } = read({ target: '', query });
      const decodedFirst = queryDecodedFirst(target) ?? '';
      return { values, lenient: [lenient, read({ target: '', query: decodedFirst }).lenient] };
    };
  },
};

function inOneWay({ values, lenient }: FieldReading): Readings {
  return { values, lenient: [lenient] };
}

/** The folded names of headers with credentials, because an upstream may read each spelling. Undefined: there are none. */
export function credentialHeaders(schemes: readonly Placed[]): ReadonlySet<string> | undefined {
  const names = namesIn('header', schemes);
  return names.length === 0 ? undefined : new Set(names.map(fold));
}

/** The query parameters with credentials. */
export function credentialParameters(schemes: readonly Placed[]): readonly string[] {
  return namesIn('query', schemes);
}

function namesIn(where: 'header' | 'query', schemes: readonly Placed[]): readonly string[] {
  return schemes.flatMap(({ places = [] }) => places.filter((place) => place.in === where).map(({ name }) => name));
}
