import type { IdTokenAlgorithm, TokenFormat } from '../../config/schema/authorization.ts';

/** How the service knows a client. `itself`: by dynamic registration. `document`: by a metadata document at its id. */
export type ClientSource = 'file' | 'command' | 'itself' | 'document';

/** A registered client (RFC 6749 §2). */
export interface RegisteredClient {
  readonly id: string;
  /** A client of the file changes only with the file. */
  readonly source: ClientSource;
  /** NumericDate, for a client that registered itself: its last token, within a day. */
  readonly usedAt?: number;
  /** The display name; the id if there is none. */
  readonly name: string;
  /** RFC 6749 §2.1: a client without a secret and without keys. */
  readonly isPublic: boolean;
  /** The place of the public keys of a client that authenticates with `private_key_jwt`. */
  readonly assertionKeys: { readonly jwks?: unknown; readonly jwksUri?: string | undefined } | undefined;
  /** SHA-256 of each valid secret. A client whose secrets have all expired is still no public client. */
  readonly secretHashes: readonly Uint8Array[];
  readonly redirectUris: readonly string[];
  /** No grant has more scopes than these. */
  readonly scope: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tokenFormat: TokenFormat | undefined;
  readonly requirePkce: boolean;
  /** Milliseconds for which a refresh can be repeated. */
  readonly retryWindow: number;
  /** May use the browserless exchange. */
  readonly session: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly postLogoutRedirectUris: readonly string[];
  readonly backchannelLogoutUri: string | undefined;
  /** Seconds. */
  readonly defaultMaxAge: number | undefined;
  readonly idTokenAlg: IdTokenAlgorithm | undefined;
  /** For signed answers of userinfo. Undefined: JSON. */
  readonly userinfoAlg: IdTokenAlgorithm | undefined;
  readonly subjectType: 'public' | 'pairwise' | undefined;
  readonly sectorIdentifierUri: string | undefined;
  /** May introspect any token. */
  readonly introspect: boolean;
  /** May follow the revocation feed. */
  readonly events: boolean;
  /** May fetch the keys of users, even if they are secret. */
  readonly keys: boolean;
}

/** True if no operator has checked the client. Its name and its addresses may change at any time. */
export function isSelfMade({ source }: Pick<RegisteredClient, 'source'>): boolean {
  return source === 'itself' || source === 'document';
}
