import { isLoopback } from '../../config/words/host.ts';
import { type AlgorithmName, algorithms } from '../../jwt/algorithms.ts';
import { isObject, type JsonObject } from '../../jwt/json.ts';
import { importKeys, type VerificationKey } from '../../jwt/keys.ts';
import { importSecret } from '../../jwt/secret-keys.ts';
import type { Authenticate } from '../server-client/client-authentication.ts';
import { type FailedFetch, FETCH_DEADLINE, type Fetched, type FetchJson } from '../server-client/fetch-json.ts';

/** Fetches the key set of one `kid`. `none`: the server has no keys of users at all. Never rejects. */
export type AskForUserKey = (kid: string) => Promise<Fetched | 'none'>;

export interface UserKeySourceOptions {
  /** A URL with `{kid}`. Undefined: there is none. */
  readonly template: () => Promise<string | undefined | FailedFetch>;
  readonly fetch: FetchJson;
  readonly authenticate: Authenticate;
  /** Whether keys are secrets, so that the server must authenticate the gateway. */
  readonly secret: boolean;
}

export function askForUserKey({ template, fetch, authenticate, secret }: UserKeySourceOptions): AskForUserKey {
  return async (kid) => {
    const found = await template();
    if (found === undefined) return 'none';
    if (typeof found !== 'string') return found;
    const url = found.replaceAll('{kid}', kid);
    const who = secret && isPrivate(url) ? await authenticate() : undefined;
    if (who?.kind === 'failed') return who;
    return fetch({ url, signal: AbortSignal.timeout(FETCH_DEADLINE), headers: who?.headers ?? {}, judgeType: false });
  };
}

/** The gateway does not fetch a secret over a connection that others can read. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

/** A fetched key, and the user that it belongs to. */
export interface FetchedUserKey {
  readonly key: VerificationKey;
  readonly subjectHash: string;
}

/** Bytes. A shorter secret can be guessed (RFC 7518 §3.2). */
const SHORTEST_SECRET = 32;

export interface Wanted {
  readonly kid: string;
  readonly accepted: readonly AlgorithmName[];
  readonly before: VerificationKey | undefined;
}

/** Undefined: not a set of one key with its `kid`, its `alg` and its user. */
export async function readUserKey(
  set: JsonObject,
  { kid, accepted, before }: Wanted,
): Promise<FetchedUserKey | undefined> {
  const jwk = Array.isArray(set.keys) && set.keys.length === 1 ? set.keys[0] : undefined;
  if (!isObject(jwk) || jwk.kid !== kid || typeof jwk.sub_hash !== 'string') return undefined;
  const alg = accepted.find((each) => each === jwk.alg);
  if (alg === undefined) return undefined;
  const key = await (algorithms[alg].hmac === undefined ? readPublic(set, alg, before) : readSecret(jwk, alg));
  return key && { key, subjectHash: jwk.sub_hash };
}

/** An unchanged key keeps its object, so that results of earlier verifications still count. */
async function readPublic(
  set: JsonObject,
  alg: AlgorithmName,
  before: VerificationKey | undefined,
): Promise<VerificationKey | undefined> {
  const known = new Map(before === undefined ? [] : [[before.id, before]]);
  return (await importKeys(set, [alg], known))?.keys[0];
}

async function readSecret({ kty, k, kid }: JsonObject, alg: AlgorithmName): Promise<VerificationKey | undefined> {
  const secret = kty === 'oct' && typeof k === 'string' ? new Uint8Array(Buffer.from(k, 'base64url')) : undefined;
  if (secret === undefined || secret.length < SHORTEST_SECRET || typeof kid !== 'string') return undefined;
  const [key] = await importSecret(secret, [alg]);
  return key && { ...key, kid, id: `${alg} ${kid}` };
}
