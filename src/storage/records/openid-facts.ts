import { json, type Row, textOrNone } from '../engine/verb.ts';

/** OpenID Connect's part of a code or a grant. */
export interface OpenidFacts {
  /** From the authorization request. Only the first ID token has it. */
  readonly nonce?: string | undefined;
  /** The authentication context class that the login satisfied. */
  readonly acr?: string | undefined;
  /** The names of single claims that the client requested and the user allowed. */
  readonly claims?: { readonly id_token: readonly string[]; readonly userinfo: readonly string[] } | undefined;
}

/** The session in which the user logged in, and OpenID Connect's facts. Both are absent without the scope `openid`. */
export interface OpenidOrigin {
  readonly sessionId?: string | undefined;
  readonly openid?: OpenidFacts | undefined;
}

export function openidOrigin(row: Row): OpenidOrigin {
  const sessionId = textOrNone(row, 'session_id');
  return sessionId === undefined ? {} : { sessionId, openid: json(row, 'openid') };
}

/** The column values of a code or a grant. */
export function openidColumns({ sessionId, openid }: OpenidOrigin): readonly [string | undefined, string | undefined] {
  return [sessionId, openid && JSON.stringify(openid)];
}
