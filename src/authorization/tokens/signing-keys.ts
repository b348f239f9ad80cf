import type { JWK } from 'jose';
import { type Clock, seconds } from '../../base/clock.ts';
import type { AuthorizationConfig } from '../../config/authorization.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { type KeyRing, keyRing } from '../../jwt/key-ring.ts';
import { importKeys, type VerificationKey } from '../../jwt/keys.ts';
import { importSecret } from '../../jwt/secret-keys.ts';
import { buildSecretSign, buildSign, makeSigningKey, type Sign, type SigningAlgorithm } from '../../jwt/sign.ts';
import type { Records, SigningKeyRecord } from '../../storage/records.ts';

/** The issuer's own keys at one moment. */
export interface SigningKeySet {
  /** Public, RFC 7517 §5. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** With the current key. */
  readonly sign: Sign;
  /** To verify with. */
  readonly ring: KeyRing;
  readonly algorithms: ReadonlySet<string>;
}

export interface SigningKeys {
  readonly current: SigningKeySet;
  /** Takes up what became of the keys in the store, by this process, another one, or a command. */
  refresh(): Promise<void>;
}

export interface SigningKeysOptions {
  readonly records: Records;
  readonly config: Pick<AuthorizationConfig, 'signing' | 'tokens'>;
  readonly clock: Clock;
}

/** Longer than anybody keeps the key set that we publish (five minutes), so that a key is known before it signs. */
export const PUBLISHED_FOR = 600;
/** How much a verifier's clock may be behind. */
const SKEW = 60;

/** The keys of the store; the first start makes one, and of two starts at the same time one key remains. */
export async function loadSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const secret = await importOwnSecret(options.config);
  let last: readonly SigningKeyRecord[] = await storedKeys(options);
  const keys = { current: await keySet(options, last, secret), refresh };
  async function refresh() {
    await turnOver(options);
    const stored = await storedKeys(options);
    if (describe(stored) === describe(last)) return;
    keys.current = await keySet(options, stored, secret);
    last = stored;
  }
  return keys;
}

function describe(stored: readonly SigningKeyRecord[]): string {
  return stored.map(({ kid, status }) => `${kid} ${status}`).join('\n');
}

/** A key that was announced long enough ago begins to sign; one whose last token has expired goes. */
async function turnOver({ records, config, clock }: SigningKeysOptions): Promise<void> {
  const now = seconds(clock);
  const { alg } = config.signing;
  if (alg !== 'HS256') await records.promoteSigningKey({ alg, publishedBefore: now - PUBLISHED_FOR, now });
  await records.removeSigningKeys(now - Math.ceil(config.tokens.access.jwt_ttl / 1000) - SKEW);
}

async function storedKeys({ records, config, clock }: SigningKeysOptions): Promise<readonly SigningKeyRecord[]> {
  const stored = await records.listSigningKeys();
  const { alg } = config.signing;
  if (alg === 'HS256' || stored.some((key) => key.alg === alg && key.status === 'current')) return stored;
  return [...stored, await adoptNewKey(records, alg, clock)];
}

async function adoptNewKey(records: Records, alg: SigningAlgorithm, clock: Clock): Promise<SigningKeyRecord> {
  return records.adoptSigningKey({ ...(await makeSigningKey(alg)), createdAt: seconds(clock) });
}

interface OwnSecret {
  readonly sign: Sign;
  readonly keys: readonly VerificationKey[];
}

async function importOwnSecret({ signing }: SigningKeysOptions['config']): Promise<OwnSecret | undefined> {
  if (signing.alg !== 'HS256' || signing.secret_base64url === undefined) return undefined;
  const secret = Uint8Array.from(Buffer.from(signing.secret_base64url, 'base64url'));
  return { sign: buildSecretSign(secret), keys: await importSecret(secret, ['HS256']) };
}

async function keySet(
  { config }: SigningKeysOptions,
  stored: readonly SigningKeyRecord[],
  secret: OwnSecret | undefined,
): Promise<SigningKeySet> {
  const jwks = { keys: stored.map(({ publicJwk }) => publicJwk as JWK) };
  const algorithms = [...new Set(stored.map((key) => key.alg as AlgorithmName))];
  const published = (await importKeys(jwks, algorithms))?.keys ?? [];
  const { alg } = config.signing;
  return {
    jwks,
    sign: secret?.sign ?? signWith(stored, alg as SigningAlgorithm),
    ring: keyRing([...published, ...(secret?.keys ?? [])]),
    algorithms: new Set([...algorithms, ...(secret ? ['HS256'] : [])]),
  };
}

function signWith(stored: readonly SigningKeyRecord[], alg: SigningAlgorithm): Sign {
  const current = stored.find((key) => key.alg === alg && key.status === 'current');
  if (current === undefined) throw new Error(`there is no current key for ${alg}`);
  return buildSign({ kid: current.kid, alg, privateKey: current.privateKey });
}
