import { fold } from '../../config/words/fold-name.ts';
import type { RequestHead } from '../message/request-head.ts';
import { takeParameter } from '../routing/form-parameters.ts';
import { valuesOf } from '../routing/match-conditions.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';

type Placed = Pick<HttpScheme, 'name' | 'places'>;

/** Credentials that stand in a header or a query parameter of their scheme. */
export interface PlacedCredentials {
  readonly found: readonly PlacedCredential[];
  /** The query without them, with its `?`. */
  readonly query: string;
}

export interface PlacedCredential {
  readonly scheme: string;
  readonly place: 'header' | 'query';
  readonly token: string;
  readonly fault: undefined;
}

/** Each that the request has. Undefined: the schemes have no places of their own, as those of nearly every route. */
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
      const taken = place === 'query' ? takeParameter(rest, name) : { values: valuesOf(head, name), rest };
      rest = taken.rest;
      found.push(...taken.values.map((token) => ({ scheme, place, token, fault: undefined })));
    }
  return { found, query: rest === query.slice(1) ? query : rest === '' ? '' : `?${rest}` };
}

/** The headers of such credentials, folded: an upstream may read each spelling of them. Undefined: there are none. */
export function credentialHeaders(schemes: readonly Placed[]): ReadonlySet<string> | undefined {
  const names = namesIn('header', schemes);
  return names.length === 0 ? undefined : new Set(names.map(fold));
}

/** The query parameters of such credentials. */
export function credentialParameters(schemes: readonly Placed[]): readonly string[] {
  return namesIn('query', schemes);
}

function namesIn(where: 'header' | 'query', schemes: readonly Placed[]): readonly string[] {
  return schemes.flatMap(({ places = [] }) => places.filter((place) => place.in === where).map(({ name }) => name));
}
