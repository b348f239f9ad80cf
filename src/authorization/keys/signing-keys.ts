import type { JWK } from 'jose';
import { type Clock, seconds } from '../../base/clock.ts';
import { nextRun } from '../../base/next-run.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { idTokenAlgorithms } from '../../config/words/openid-choices.ts';
import { SESSION_LIFETIME } from '../../config/words/session-lifetime.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { type KeyRing, keyRing } from '../../jwt/key-ring.ts';
import { importKeys, type VerificationKey } from '../../jwt/keys.ts';
import { importSecret } from '../../jwt/secret-keys.ts';
import { buildSecretSign, buildSign, makeSigningKey, type Sign, type SigningAlgorithm } from '../../jwt/sign.ts';
import type { Records, SigningKeyRecord } from '../../storage/records/records.ts';
import { rotatedTooOften } from './rotated-too-often.ts';

/** The issuer's own keys at one moment. */
export interface SigningKeySet {
  /** Public, RFC 7517 §5. */
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Signs access tokens. */
  readonly signer: Signer;
  /** Algorithm → what signs with it. */
  readonly signers: ReadonlyMap<string, Signer>;
  readonly kids: ReadonlySet<string>;
  /** For verification. */
  readonly ring: KeyRing;
  readonly algorithms: ReadonlySet<string>;
}

export interface Signer {
  /** Signs with the current key, without asking whether the key is still valid: see `SigningKeys`. */
  readonly sign: Sign;
  /** The `kid` of the current key. Undefined for the secret of HS256. */
  readonly kid: string | undefined;
}

export interface SigningKeys {
  readonly current: SigningKeySet;
  /**
   * Signs with the current key. After the signature, the store confirms that the key still exists. So no one gets a token of a
   * removed key. Rejects with `StorageUnavailable` if the store does not confirm.
   */
  readonly sign: Sign;
  /**
   * The same with the current key of this algorithm, for tokens that only clients verify. They take the keys of `jwks`, so the
   * store is not asked.
   */
  readonly signWith: (alg: SigningAlgorithm) => Sign;
  /** Loads the current keys of the store, even while an earlier call is running. */
  look(): Promise<void>;
  /** Does the same, after it rotates keys whose time has come. */
  refresh(): Promise<void>;
}

export interface SigningKeysOptions {
  readonly records: Records;
  readonly config: Pick<AuthorizationConfig, 'signing' | 'tokens' | 'openid' | 'security_events'>;
  readonly clock: Clock;
}

/** Seconds. Verifiers cache our key set for at most five minutes, so every verifier knows a key before it signs. */
export const PUBLISHED_FOR = 600;
/** Seconds by which a verifier's clock may be slow. */
const SKEW = 60;

/** Loads the keys of the store. The first start makes a key; if two start at once, one key remains. */
export async function loadSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const secret = await importOwnSecret(options.config);
  let last: readonly SigningKeyRecord[] = await storedKeys(options);
  let current = await keySet(options, last, secret);
  const look = nextRun(async () => {
    if (describe(await options.records.listSigningKids()) === describe(last)) return;
    const stored = await storedKeys(options);
    current = await keySet(options, stored, secret);
    last = stored;
  });
  return {
    get current() {
      return current;
    },
    sign: signAndLook(() => current, look),
    signWith: (alg) => (typ, claims) => signerOf(current.signers, alg).sign(typ, claims),
    look,
    async refresh() {
      await turnOver(options);
      await look();
    },
  };
}

/** Attempts for one token. Each failed attempt means that a leaked key was replaced at that moment. */
const MOST_TRIES = 5;

function signAndLook(current: () => SigningKeySet, look: () => Promise<void>): Sign {
  return async (typ, claims) => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { sign, kid } = current().signer;
      const token = await sign(typ, claims);
      if (kid === undefined) return token;
      await look();
      if (current().kids.has(kid)) return token;
    }
    throw rotatedTooOften('issuer');
  };
}

function describe(stored: readonly Pick<SigningKeyRecord, 'kid' | 'status'>[]): string {
  return stored.map(({ kid, status }) => `${kid} ${status}`).join('\n');
}

/** A key that was published for long enough begins to sign. A key is removed when its last token is useless. */
async function turnOver({ records, config, clock }: SigningKeysOptions): Promise<void> {
  const now = seconds(clock);
  for (const alg of algorithmsInUse(config))
    await records.promoteSigningKey({ alg, publishedBefore: now - PUBLISHED_FOR, now });
  await records.removeSigningKeys(now - longestUse(config) - SKEW);
}

/** Seconds. An ID token is a hint at the logout, even an expired one, while its session lives (RP-Initiated Logout §2). */
function longestUse({ tokens, openid }: SigningKeysOptions['config']): number {
  const access = Math.ceil(tokens.access.jwt_ttl / 1000);
  if (!openid.enabled) return access;
  return Math.max(access, Math.ceil(openid.id_token.ttl / 1000), SESSION_LIFETIME);
}

/** The algorithms that need keys. Every client may choose the algorithm of its ID tokens. */
export function algorithmsInUse({
  signing,
  openid,
  security_events,
}: Pick<AuthorizationConfig, 'signing' | 'openid' | 'security_events'>): readonly SigningAlgorithm[] {
  const access = signing.alg === 'HS256' ? [] : [signing.alg];
  const events = security_events.receivers.length === 0 ? [] : [openid.id_token.alg];
  return [...new Set([...access, ...(openid.enabled ? idTokenAlgorithms : []), ...events])];
}

async function storedKeys({ records, config, clock }: SigningKeysOptions): Promise<readonly SigningKeyRecord[]> {
  const stored = await records.listSigningKeys();
  const missing = algorithmsInUse(config).filter((alg) => currentKey(stored, alg) === undefined);
  return [...stored, ...(await Promise.all(missing.map((alg) => adoptNewKey(records, alg, clock))))];
}

function currentKey(stored: readonly SigningKeyRecord[], alg: string): SigningKeyRecord | undefined {
  return stored.find((key) => key.alg === alg && key.status === 'current');
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
  const signers = signersOf(stored);
  return {
    jwks,
    kids: new Set(stored.map(({ kid }) => kid)),
    signer: secret ? { sign: secret.sign, kid: undefined } : signerOf(signers, config.signing.alg),
    signers,
    ring: keyRing([...published, ...(secret?.keys ?? [])]),
    algorithms: new Set([...algorithms, ...(secret ? ['HS256'] : [])]),
  };
}

/** Also of algorithms that the configuration no longer uses: the service still sends the logout tokens of earlier logins. */
function signersOf(stored: readonly SigningKeyRecord[]): ReadonlyMap<string, Signer> {
  const signers = new Map<string, Signer>();
  for (const { kid, alg, privateKey, status } of stored)
    if (status === 'current')
      signers.set(alg, { sign: buildSign({ kid, alg: alg as SigningAlgorithm, privateKey }), kid });
  return signers;
}

function signerOf(signers: ReadonlyMap<string, Signer>, alg: string): Signer {
  const signer = signers.get(alg);
  if (signer === undefined) throw new Error(`there is no current key for ${alg}`);
  return signer;
}
