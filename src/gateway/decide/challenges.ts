import { bearerChallenge } from '../../http-auth/bearer.ts';
import { type Code, entry } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';
import { nearest } from '../message/scope-requirement.ts';
import type { Route } from './route.ts';

/**
 * The challenges of a refusal, a header line each: Bearer, Digest, Basic. RFC 9110 §11.6.1 wants all that a route takes
 * with a 401; with another status only Bearer says something (RFC 6750 §3.1), and only about its own credentials.
 */
export function challengesFor(
  route: Route,
  head: RequestHead,
  code: Code,
  held: ReadonlySet<string>,
): readonly string[] {
  const { status, error, stale = false } = entry(code);
  const bearer = route.takesBearer && (status === 401 || error !== undefined) ? [bearerOf(route, code, held)] : [];
  if (status !== 401) return bearer;
  return [...bearer, ...route.schemes.flatMap((scheme) => scheme.challenges(head, stale))];
}

/** RFC 6750 §3: without credentials only what is needed; with wrong ones also why. */
function bearerOf(route: Route, code: Code, held: ReadonlySet<string>): string {
  const { error, text } = entry(code);
  const needed = route.requirements.scope;
  return bearerChallenge({
    realm: route.realm,
    scope: needed !== undefined && namesScope(code) ? nearest(needed, held).join(' ') : undefined,
    resourceMetadata: route.metadataUrl,
    error,
    errorDescription: error === undefined ? undefined : text,
  });
}

function namesScope(code: Code): boolean {
  return code === 'credential_missing' || code === 'scope_insufficient';
}
