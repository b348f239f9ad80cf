import { type Clock, seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { looksLikeJwt, type ParsedJwt, parseJwt } from '../../jwt/parse.ts';
import { activeAnswer } from '../../oauth/introspection.ts';
import { StorageUnavailable, type TokenFacts } from '../../storage/lookup/read.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { type Fetched, failed } from '../server-client/fetch-json.ts';
import type { AskAboutToken } from '../server-client/introspection-client.ts';
import { type StoreLook, storeLook } from '../server-client/store-look.ts';

/** The database of an authorization service. The gateway asks it instead of the introspection endpoint. */
export interface TokenStore extends Omit<StoreLook, 'close'> {
  /** Answers like the introspection endpoint (RFC 7662 §2.2). */
  readonly ask: AskAboutToken;
  close(): Promise<void>;
}

interface Known {
  readonly issuer: string;
  readonly clock: Clock;
}

export interface TokenStoreDependencies extends Known {
  readonly faults: FaultLog;
}

const INACTIVE: JsonObject = { active: false };

export function tokenStore(facts: TokenFacts, { faults, ...known }: TokenStoreDependencies): TokenStore {
  const { close, ...look } = storeLook(() => facts.ping(), faults);
  return {
    ...look,
    ask: (_storage, token) => settled(() => (looksLikeJwt(token) ? aboutJwt : aboutOpaque)(facts, token, known)),
    async close() {
      close();
      await facts.close();
    },
  };
}

async function settled(read: () => Promise<JsonObject>): Promise<Fetched> {
  try {
    return { kind: 'json', value: await read() };
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    return failed(error.message);
  }
}

async function aboutOpaque(facts: TokenFacts, token: string, { issuer, clock }: Known): Promise<JsonObject> {
  const found = await facts.findAccessToken(sha256(token), seconds(clock));
  return found === undefined ? INACTIVE : activeAnswer(found, issuer);
}

/**
 * The signature is already verified. This checks what a signature cannot show. The revocation list drops expired
 * tokens, so this also checks `exp`, without leeway: a token must not become valid again when its entry is dropped. A
 * token without `jti` (RFC 9068 §2.2) could never be revoked.
 */
async function aboutJwt(facts: TokenFacts, token: string, { clock }: Known): Promise<JsonObject> {
  const jwt = parseJwt(token);
  if (jwt.kind === 'refused') return INACTIVE;
  const { jti, gid, client_id, iat, exp } = jwt.claims;
  if (typeof jti !== 'string' || !namesItsKey(jwt)) return INACTIVE;
  const origin = {
    grantId: textOf(gid),
    clientId: textOf(client_id),
    issuedAt: typeof iat === 'number' ? iat : undefined,
    kid: jwt.header.kid,
  };
  if (await facts.isJwtDenied({ jti, ...origin, now: seconds(clock) })) return INACTIVE;
  return { active: true, ...(exp !== undefined && { exp }) };
}

/**
 * Every token of the service names its key, so that the key can be rotated. Without a name, the gateway could not
 * notice a rotation.
 */
function namesItsKey({ header: { alg, kid } }: ParsedJwt): boolean {
  return kid !== undefined || alg.startsWith('HS');
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}
