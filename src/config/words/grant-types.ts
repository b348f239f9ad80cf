/** The properties of a grant that the rules of configuration files need. */
export interface GrantTraits {
  /** Redirects a browser to the client. */
  readonly redirects?: true;
  /** May issue a refresh token. Other grants must not or should not (RFC 6749 §4.2.2, §4.4.3). */
  readonly yieldsRefresh?: true;
  /** The section that allows the grant only for clients with a secret. */
  readonly confidential?: string;
  /** Why the grant is for old clients only. */
  readonly legacy?: string;
}

/**
 * `grant_type` → its rules for configuration files (RFC 7591 §2). The token endpoint's code is in
 * `authorization/grants/grants.ts`.
 */
export const grantTraits = {
  authorization_code: { redirects: true, yieldsRefresh: true },
  refresh_token: {},
  client_credentials: { confidential: 'RFC 6749 §4.4' },
  password: { yieldsRefresh: true, legacy: 'the client learns the password of the user (RFC 9700 §2.4)' },
  implicit: { redirects: true, legacy: 'the token appears in the address of a page (RFC 9700 §2.1.2)' },
} as const satisfies Readonly<Record<string, GrantTraits>>;

export type GrantType = keyof typeof grantTraits;

export const grantTypes = Object.keys(grantTraits) as readonly GrantType[];

/** The traits of any grant, typed so that a missing trait is undefined. */
export function traitsOf(grant: GrantType): GrantTraits {
  return grantTraits[grant];
}
