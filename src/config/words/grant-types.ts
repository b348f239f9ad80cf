/** What the rules of configuration files know of a grant. */
export interface GrantTraits {
  /** Sends a browser back. */
  readonly redirects?: true;
  /** May come with a refresh token (RFC 6749 §4.2.2, §4.4.3: the others must not or should not). */
  readonly yieldsRefresh?: true;
  /** Where it says that only a client with a secret may use it. */
  readonly confidential?: string;
  /** Why it is for old clients only. */
  readonly legacy?: string;
}

/**
 * `grant_type` → what a configuration file must observe (RFC 7591 §2). How the token endpoint handles it:
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

/** The traits of any grant, so that a missing one is undefined. */
export function traitsOf(grant: GrantType): GrantTraits {
  return grantTraits[grant];
}
