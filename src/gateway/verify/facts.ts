import { scopeTokenFault, scopeWords } from '../../config/words/scope-words.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { VerificationKey } from '../../jwt/keys.ts';
import { claimAt } from '../message/claim-path.ts';
import type { Identity } from '../message/identity.ts';

/** The facts that an authorization server confirms, and how long they may be cached. */
export interface Facts {
  readonly kind: 'facts';
  readonly identity: Identity;
  /** From a JWT. Otherwise from an opaque token. */
  readonly jwt: boolean;
  /** The key that signed the token. Without the key, the facts no longer count. */
  readonly key: VerificationKey | undefined;
  /** The server itself was asked about the token, so the facts do not depend on its feed. */
  readonly asked: boolean;
  /** Milliseconds for which the facts serve without a new check, and additional ones during an outage. */
  readonly freshFor: number;
  readonly staleFor: number;
  /** Milliseconds after `exp` for which a token is still valid: the allowed clock difference. */
  readonly leeway: number;
}

export interface IdentitySource {
  readonly issuer: string;
  readonly server: string;
  /** Claims that contain scopes. Paths such as realm_access.roles are possible. */
  readonly scopeClaims: readonly string[];
}

/** The types of the claims were checked before. */
export function identityOf(claims: JsonObject, { issuer, server, scopeClaims }: IdentitySource): Identity {
  const { sub, aud, exp, nbf } = claims;
  return {
    scheme: 'bearer',
    issuer,
    server,
    subject: typeof sub === 'string' ? sub : undefined,
    clientId: clientOf(claims),
    scopes: new Set(scopeClaims.flatMap((path) => scopesIn(claimAt(claims, path)))),
    audience: aud === undefined ? undefined : ([aud].flat() as string[]),
    expiresAt: typeof exp === 'number' ? exp : undefined,
    notBefore: typeof nbf === 'number' ? nbf : undefined,
    claims,
  };
}

/**
 * RFC 9068 §2.2 comes first. Then the client's names in servers that are older than this RFC: OpenID Connect, Okta,
 * Entra ID v1.
 */
const CLIENT_NAMES = ['client_id', 'azp', 'cid', 'appid'];

/** The first name that is present decides, whatever its value. A second guess could be another user. */
function clientOf(claims: JsonObject): string | undefined {
  const name = CLIENT_NAMES.find((each) => Object.hasOwn(claims, each));
  const client = name === undefined ? undefined : claims[name];
  return typeof client === 'string' ? client : undefined;
}

/**
 * Ignores a value that is not a scope-token (RFC 6749 §3.3). Otherwise the upstream would get a list entry `my admin`
 * as the two scopes `my` and `admin`.
 */
function scopesIn(value: unknown): readonly string[] {
  const words = typeof value === 'string' ? scopeWords(value) : Array.isArray(value) ? value : [];
  return words.filter((word) => typeof word === 'string' && scopeTokenFault(word) === undefined);
}

/**
 * `verify: both`: the token's facts, limited by the server's answer. If the answer lacks a member, the token's own
 * value counts (RFC 7662 §2.2: all members except `active` are optional).
 */
export function narrow(token: Facts, answer: Facts, scopeClaims: readonly string[]): Facts {
  const { identity: signed } = token;
  const { identity: said } = answer;
  const namesScope = scopeClaims.some((path) => claimAt(said.claims, path) !== undefined);
  const identity: Identity = {
    ...signed,
    scopes: namesScope ? new Set([...signed.scopes].filter((scope) => said.scopes.has(scope))) : signed.scopes,
    audience:
      said.audience === undefined ? signed.audience : signed.audience?.filter((aud) => said.audience?.includes(aud)),
    expiresAt: Math.min(signed.expiresAt ?? Number.POSITIVE_INFINITY, said.expiresAt ?? Number.POSITIVE_INFINITY),
    notBefore: latest(signed.notBefore, said.notBefore),
  };
  return { ...answer, identity, jwt: true, key: token.key };
}

function latest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}
