import { json, type Row, scopeTokens, text } from '../engine/verb.ts';

/** OpenID Connect's part of a code or a grant. */
export interface OpenidFacts {
  /** From the authorization request. Only the first ID token has it. */
  readonly nonce?: string | undefined;
  /** The authentication context class that the login satisfied. */
  readonly acr?: string | undefined;
  /** The names of single claims that the client requested and the user allowed. */
  readonly claims?: { readonly id_token: readonly string[]; readonly userinfo: readonly string[] } | undefined;
  /** The scopes of these claims that are not in the scope itself. If the user refuses one later, the grant ends. */
  readonly claimScopes?: readonly string[] | undefined;
}

/** The session in which the user logged in, and OpenID Connect's facts. Both are absent without the scope `openid`. */
export interface OpenidOrigin {
  readonly sessionId?: string | undefined;
  readonly openid?: OpenidFacts | undefined;
}

/** From a row with a session. */
export function openidOrigin(row: Row): OpenidOrigin {
  return { sessionId: text(row, 'session_id'), openid: json(row, 'openid') };
}

/** From a row with a scope and OpenID Connect's facts: all that the user allowed. */
export function allowedScopes(row: Row): readonly string[] {
  const facts = row.openid === null || row.openid === undefined ? undefined : json<OpenidFacts>(row, 'openid');
  return [...scopeTokens(row, 'scope'), ...(facts?.claimScopes ?? [])];
}
