import { type CryptoKey, importJWK, type JWK } from 'jose';
import { type AlgorithmName, algorithms } from './algorithms.ts';
import { isObject, type JsonObject } from './json.ts';
import { type OnLoop, publicOnLoop } from './on-loop.ts';

/** An imported key for one algorithm. */
export interface VerificationKey {
  readonly alg: AlgorithmName;
  /** Undefined: its key set gives it no name. */
  readonly kid: string | undefined;
  /** The same key in a later set has the same id, so that earlier verifications by this key still count. */
  readonly id: string;
  readonly key: CryptoKey;
  /** Undefined: only threads verify with this key. */
  readonly onLoop?: OnLoop | undefined;
}

export interface RefusedKey {
  readonly kid: string | undefined;
  readonly reason: string;
}

export interface ImportedKeys {
  readonly keys: readonly VerificationKey[];
  readonly refused: readonly RefusedKey[];
}

/** The reason for a key that its owner publishes for encryption (RFC 7517 §4.2). */
export const FOR_ENCRYPTION = 'for encryption (use)';

export const MAX_KEYS = 100;
const MAX_RSA_BITS = 8192;
/** RFC 7518 §6.2.2, §6.3.2: members that a published key must not have. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
/** The members that form the key (RFC 7638 §3.2), and its name. */
const IDENTITY = ['kid', 'kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/**
 * Imports the keys of an untrusted JWK Set (RFC 7517 §5) for the accepted algorithms. It leaves out every other key,
 * with a reason. Undefined: not a key set, or too large.
 */
export async function importKeys(
  set: unknown,
  accepted: readonly AlgorithmName[],
  known: ReadonlyMap<string, VerificationKey> = new Map(),
): Promise<ImportedKeys | undefined> {
  if (!isObject(set) || !Array.isArray(set.keys) || set.keys.length > MAX_KEYS) return undefined;
  const refused: RefusedKey[] = [];
  const usable = set.keys.filter((jwk: unknown): jwk is JsonObject => {
    const reason = judge(jwk);
    if (reason !== undefined) refused.push({ kid: nameOf(jwk), reason });
    return reason === undefined;
  });
  const { single, doubled } = splitByName(usable);
  for (const jwk of doubled) refused.push({ kid: nameOf(jwk), reason: 'another key has the same kid' });
  const keys: VerificationKey[] = [];
  for (const jwk of single) {
    const imported = await importFor(jwk, accepted, known);
    keys.push(...imported);
    if (imported.length === 0) refused.push({ kid: nameOf(jwk), reason: 'matches no accepted algorithm' });
  }
  return { keys, refused };
}

function nameOf(jwk: unknown): string | undefined {
  return isObject(jwk) && typeof jwk.kid === 'string' ? jwk.kid : undefined;
}

function judge(jwk: unknown): string | undefined {
  if (!isObject(jwk) || typeof jwk.kty !== 'string') return 'not a key';
  if (jwk.kty === 'oct' || PRIVATE.some((name) => Object.hasOwn(jwk, name))) return 'secret material is published';
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') return 'kid is not a string';
  if (jwk.use === 'enc') return FOR_ENCRYPTION;
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'not for signatures (use)';
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'))) {
    return 'not for verification (key_ops)';
  }
  return undefined;
}

/**
 * If two different keys have the same `kid`, neither is used, because the gateway cannot know which one signs. RFC 7517
 * §4.5 allows the same `kid` for keys of different `kty`. A key that is merely listed twice is one key.
 */
function splitByName(jwks: readonly JsonObject[]): { single: readonly JsonObject[]; doubled: readonly JsonObject[] } {
  const materials = new Map<string, Set<string>>();
  const place = (jwk: JsonObject) => JSON.stringify([jwk.kty, jwk.kid]);
  for (const jwk of jwks) {
    const seen = materials.get(place(jwk)) ?? new Set();
    materials.set(place(jwk), seen.add(identityOf(jwk)));
  }
  const isSingle = (jwk: JsonObject) => jwk.kid === undefined || materials.get(place(jwk))?.size === 1;
  return { single: jwks.filter(isSingle), doubled: jwks.filter((jwk) => !isSingle(jwk)) };
}

function identityOf(jwk: JsonObject): string {
  return JSON.stringify(IDENTITY.map((name) => jwk[name] ?? null));
}

/** WebCrypto binds a key to its algorithm. So an RSA key without `alg` becomes one key for each accepted algorithm. */
async function importFor(
  jwk: JsonObject,
  accepted: readonly AlgorithmName[],
  known: ReadonlyMap<string, VerificationKey>,
): Promise<readonly VerificationKey[]> {
  const fitting = accepted.filter((alg) => fits(jwk, alg));
  const imported = await Promise.all(fitting.map((alg) => importOne(jwk, alg, known)));
  return imported.filter((key) => key !== undefined);
}

function fits(jwk: JsonObject, alg: AlgorithmName): boolean {
  const { kty, crv } = algorithms[alg];
  return jwk.kty === kty && (crv === undefined || jwk.crv === crv) && (jwk.alg === undefined || jwk.alg === alg);
}

async function importOne(
  jwk: JsonObject,
  alg: AlgorithmName,
  known: ReadonlyMap<string, VerificationKey>,
): Promise<VerificationKey | undefined> {
  const id = `${alg} ${identityOf(jwk)}`;
  const before = known.get(id);
  if (before !== undefined) return before;
  try {
    const key = (await importJWK(publicPart(jwk), alg)) as CryptoKey;
    if (!hasSoundModulus(key, alg)) return undefined;
    return { alg, kid: nameOf(jwk), id, key, onLoop: publicOnLoop(key, alg) };
  } catch {
    // The key is unreadable: not on the curve, not base64url, or without a parameter.
    return undefined;
  }
}

/** Only the members that form the key, without certificates, names and hints. */
function publicPart(jwk: JsonObject): JWK {
  return Object.fromEntries(
    IDENTITY.filter((name) => name !== 'kid' && Object.hasOwn(jwk, name)).map((name) => [name, jwk[name]]),
  );
}

/** The upper limits keep a verification cheap. RSA cost grows with the square of the modulus, and with the exponent. */
function hasSoundModulus(key: CryptoKey, alg: AlgorithmName): boolean {
  const { minimumBits } = algorithms[alg];
  if (minimumBits === undefined) return true;
  const { modulusLength, publicExponent } = key.algorithm as unknown as {
    modulusLength: number;
    publicExponent: Uint8Array;
  };
  return modulusLength >= minimumBits && modulusLength <= MAX_RSA_BITS && publicExponent.length <= 4;
}
