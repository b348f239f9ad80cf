import { bearerChallenge } from '../../http-auth/bearer.ts';
import { type Code, entry } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';
import { nearest } from '../message/scope-requirement.ts';
import type { Route } from './route.ts';

/**
 * The challenges of a refusal, one header line each: Bearer, Digest, Basic. RFC 9110 §11.6.1 requires all schemes of
 * the route with a 401. With another status, only Bearer has a challenge (RFC 6750 §3.1), and only about its own
 * credentials.
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

/**
 * RFC 6750 §3: without credentials, the challenge names only what the route needs. With wrong credentials, it also says
 * why.
 */
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
