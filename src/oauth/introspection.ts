/** The facts about an opaque access token. Times are NumericDates, seconds. */
export interface KnownToken {
  readonly clientId: string;
  readonly subject: string;
  /** Undefined if the client acts for itself. */
  readonly username: string | undefined;
  readonly scope: string;
  readonly audience: readonly string[];
  /** Members in addition to the standard ones. None replaces a standard one. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly grantId: string | undefined;
  readonly authTime: number | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The answer of RFC 7662 §2.2, with the claims of the token. */
export interface ActiveAnswer {
  readonly active: true;
  readonly scope: string;
  readonly client_id: string;
  readonly username?: string;
  readonly token_type: 'Bearer';
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly iss: string;
  readonly gid?: string;
  readonly auth_time?: number;
  readonly [claim: string]: unknown;
}

/** The answer for an active token. */
export function activeAnswer(token: KnownToken, issuer: string): ActiveAnswer {
  const { username, grantId, authTime } = token;
  return {
    ...token.claims,
    active: true,
    scope: token.scope,
    client_id: token.clientId,
    ...(username !== undefined && { username }),
    token_type: 'Bearer',
    exp: token.expiresAt,
    iat: token.issuedAt,
    sub: token.subject,
    aud: audienceClaim(token.audience),
    iss: issuer,
    ...(grantId !== undefined && { gid: grantId }),
    ...(authTime !== undefined && { auth_time: authTime }),
  };
}

/** RFC 7519 §4.1.3: a single value is not an array. */
export function audienceClaim(audience: readonly string[]): string | readonly string[] {
  const [first] = audience;
  return first !== undefined && audience.length === 1 ? first : audience;
}
