import type { EnvoyPart } from './part.ts';

/** Conditions on the verified token, which jwt_authn writes into the metadata of the request. */

export const JWT_FILTER = 'envoy.filters.http.jwt_authn';

/** Where the payload or the header of a token of this provider is. */
export interface TokenPlace {
  readonly payload: string;
  readonly header: string;
}

export function tokenPlace(provider: string): TokenPlace {
  return { payload: `payload_${provider}`, header: `header_${provider}` };
}

export function valueAt(path: readonly string[], value: EnvoyPart): EnvoyPart {
  const metadata_matcher = { filter: JWT_FILTER, path: path.map((key) => ({ key })), value };
  return { sourced_metadata: { metadata_matcher, metadata_source: 'DYNAMIC' } };
}

export function allOf(ids: readonly EnvoyPart[]): EnvoyPart {
  const [only] = ids;
  return ids.length === 1 && only !== undefined ? only : { and_ids: { ids } };
}

export function anyOf(ids: readonly EnvoyPart[]): EnvoyPart {
  const [only] = ids;
  return ids.length === 1 && only !== undefined ? only : { or_ids: { ids } };
}

export function not(id: EnvoyPart): EnvoyPart {
  return { not_id: id };
}

export const PRESENT: EnvoyPart = { present_match: true };

export function exactText(exact: string): EnvoyPart {
  return { string_match: { exact } };
}

export function textLike(regex: string): EnvoyPart {
  return { string_match: { safe_regex: { regex } } };
}

/** A value of the file, with its type. */
export function exactValue(value: unknown): EnvoyPart {
  if (typeof value === 'number') return { double_match: { exact: value } };
  return typeof value === 'boolean' ? { bool_match: value } : exactText(String(value));
}

export function listWith(value: EnvoyPart): EnvoyPart {
  return { list_match: { one_of: value } };
}

/** A claim with exactly this name, or else a path through objects, as `claimAt` reads it. */
export function claimMatches(payload: string, name: string, value: EnvoyPart): EnvoyPart {
  const exact = valueAt([payload, name], value);
  if (!name.includes('.')) return exact;
  const absent = not(valueAt([payload, name], PRESENT));
  return anyOf([exact, allOf([absent, valueAt([payload, ...name.split('.')], value)])]);
}
