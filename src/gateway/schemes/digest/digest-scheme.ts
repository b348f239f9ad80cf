import { addressBlock } from '../../../base/client-address.ts';
import { sameBytes } from '../../../base/secret.ts';
import { outage, refused } from '../../../base/verdict.ts';
import type { DigestConfig } from '../../../config/schemes/digest/schema.ts';
import type { Counters, NonceUsage } from '../../../counters/counters.ts';
import type { Throttle } from '../../../counters/throttle.ts';
import {
  type DigestCredentials,
  digestChallenge,
  formatAuthenticationInfo,
  parseDigest,
} from '../../../http-auth/digest.ts';
import {
  type DigestAlgorithmName,
  digestAlgorithmNamed,
  digestAlgorithmNames,
  digestAlgorithms,
} from '../../../http-auth/digest-algorithms.ts';
import { digestResponse, type ResponseInput, userHash } from '../../../http-auth/digest-response.ts';
import type { Nonce } from '../../../http-auth/nonce.ts';
import type { Identity, SchemeVerification, Verified } from '../../message/identity.ts';
import type { RequestHead } from '../../message/request-head.ts';
import { guardLogin } from '../guarded-login.ts';
import type { HttpScheme, Presented } from '../http-scheme.ts';
import type { LookupResult as UserAnswer } from '../lookup-result.ts';
import type { Nonces } from '../nonces.ts';
import { userIdentities } from '../user-identity.ts';
import { uriFits } from './digest-uri.ts';
import type { DigestUser, DigestUsers } from './digest-users.ts';

export interface DigestParts {
  readonly config: DigestConfig;
  readonly users: DigestUsers;
  readonly nonces: Nonces;
  readonly throttle: Throttle;
  /** `limits.share`: the most places that one address block may have among requests that wait for users. */
  readonly share: number;
  /** The place of the counts. Other places do not know about a use here. */
  readonly countedAt: string;
  /** For counts that other processes share. */
  readonly useNonce: Counters['useNonce'];
}

/** Digest (RFC 7616) on the routes that share one block. */
export function digestScheme(parts: DigestParts): HttpScheme {
  const { config, nonces } = parts;
  const scene: Scene = {
    ...parts,
    algorithms: digestAlgorithmNames.filter((name) => config.algorithms.includes(name)),
    opaques: config.opaque ? nonces.opaques(config.realm) : [],
    purpose: purposeOf(parts, ''),
    identityOf: userIdentities({ scheme: 'digest', realm: config.realm, scopes: config.scopes }),
  };
  return {
    name: 'digest',
    verify: (presented) => verify(scene, presented),
    challenges: (head, stale) => challenges(scene, head, stale),
    wantsEntity: (head) => (hashesBody(scene, head) ? config.auth_int.max_body : undefined),
  };
}

/**
 * Only for credentials that are valid except perhaps for the password. For others, the gateway reads and holds no body.
 */
function hashesBody(scene: Scene, head: RequestHead): boolean {
  const { authorization } = head;
  if (authorization === undefined || !scene.config.qop.includes('auth-int')) return false;
  const answered = answeredBy(scene, { value: authorization.value, head, entity: undefined });
  return answered.kind === 'answered' && answered.credentials.protection?.qop === 'auth-int';
}

interface Scene extends DigestParts {
  /** In the order in which they are offered. */
  readonly algorithms: readonly DigestAlgorithmName[];
  /** The first one issues nonces. Empty if the file has none. */
  readonly opaques: readonly string[];
  /** What a nonce is valid for, if it is not bound to an address. */
  readonly purpose: string;
  readonly identityOf: (username: string) => Identity;
}

/** All challenges share one nonce. A client may answer any of them, and its nonce must fit. */
function challenges(scene: Scene, head: RequestHead, stale: boolean): string[] {
  const { config, nonces, algorithms, opaques } = scene;
  const nonce = nonces.issue(purposeFor(scene, head));
  const { realm, qop, userhash, domain } = config;
  const shared = { realm, qop, nonce, opaque: opaques[0], userhash, stale, domain: domain?.join(' ') };
  return algorithms.map((algorithm) => digestChallenge({ ...shared, algorithm }));
}

/**
 * What a nonce is valid for: the realm, and perhaps the client's address. It also names the place and the lifetime of
 * the counts, because other or later counts do not know about a use.
 */
function purposeOf({ config: { realm, nonce_ttl }, countedAt }: DigestParts, block: string): string {
  return [realm, countedAt, nonce_ttl, block].join('\0');
}

function purposeFor(scene: Scene, { origin }: RequestHead): string {
  return scene.config.bind_ip ? purposeOf(scene, addressBlock(origin.address)) : scene.purpose;
}

/** Credentials that answer a challenge of this route, as far as that is certain without the password. */
interface Answered {
  readonly credentials: DigestCredentials;
  readonly algorithm: DigestAlgorithmName;
  readonly nonce: Nonce;
}

function verify(scene: Scene, presented: Presented): SchemeVerification | Promise<SchemeVerification> {
  const answered = answeredBy(scene, presented);
  if (answered.kind === 'refused') return answered;
  const { credentials, algorithm } = answered;
  const asker = { block: addressBlock(presented.head.origin.address, 48), share: scene.share };
  const sought = scene.users.find(credentials, algorithm, asker);
  return sought instanceof Promise
    ? sought.then((told) => guarded(scene, answered, told, presented))
    : guarded(scene, answered, sought, presented);
}

function guarded(
  scene: Scene,
  answered: Answered,
  sought: UserAnswer<DigestUser>,
  presented: Presented,
): SchemeVerification | Promise<SchemeVerification> {
  if (sought.kind === 'outage') return sought;
  const user = sought.kind === 'found' ? sought.user : undefined;
  const { realm } = scene.config;
  const name = `digest ${realm.length}:${realm}${countedName(scene, answered)}`;
  const guard = { throttle: scene.throttle, name, address: presented.head.origin.address };
  return guardLogin(guard, () => judge(scene, { ...answered, user }, presented));
}

/**
 * The name by which wrong passwords count. It must not depend on whether the user exists. Otherwise an attacker could
 * send a name and its hash in turn and see whether they count together. So a name counts as its hash if clients may
 * send the hash instead.
 */
function countedName({ config }: Scene, { credentials: { username, userhash }, algorithm }: Answered): string {
  if (!config.userhash) return username;
  const { stored } = digestAlgorithms[algorithm];
  return `${stored} ${userhash ? username : userHash(stored, username, config.realm)}`;
}

function answeredBy(scene: Scene, { value, head }: Presented) {
  const { config, nonces, opaques } = scene;
  const parsed = parseDigest(value);
  if (parsed.kind !== 'credentials')
    return refused('authorization_malformed', parsed.kind === 'malformed' ? parsed.detail : undefined);
  const { credentials } = parsed;
  const algorithm = digestAlgorithmNamed(credentials.algorithm);
  const mismatch = mismatchOf(credentials, { config, algorithm, opaques });
  if (mismatch !== undefined || algorithm === undefined) return refused('digest_mismatch', mismatch);
  if (!uriFits(credentials.uri, head, config)) return refused('digest_uri');
  const nonce = nonces.read(credentials.nonce, purposeFor(scene, head));
  return nonce === undefined ? refused('nonce_invalid') : { kind: 'answered' as const, credentials, algorithm, nonce };
}

interface Offered {
  readonly config: DigestConfig;
  readonly algorithm: DigestAlgorithmName | undefined;
  readonly opaques: readonly string[];
}

/** A part of a response that no challenge of this route offered. */
function mismatchOf(said: DigestCredentials, { config, algorithm, opaques }: Offered): string | undefined {
  const { realm, response, protection, opaque, userhash } = said;
  if (realm !== config.realm) return 'another realm';
  if (algorithm === undefined || !config.algorithms.includes(algorithm)) return 'an algorithm that is not offered';
  if (response.length !== lengthOf(algorithm)) return 'a response whose length does not fit the algorithm';
  if (protection === undefined && !takesLegacy({ config, algorithm })) return 'no qop';
  if (protection !== undefined && !config.qop.includes(protection.qop)) return 'a qop that is not offered';
  if (opaque !== undefined && opaques.length > 0 && !opaques.includes(opaque)) return 'another opaque';
  return userhash && !config.userhash ? 'a userhash, which is not offered' : undefined;
}

function takesLegacy({ config, algorithm }: Omit<Offered, 'opaques'>): boolean {
  return config.legacy_no_qop && algorithm === 'MD5';
}

function lengthOf(algorithm: DigestAlgorithmName | undefined): number | undefined {
  return algorithm && digestAlgorithms[algorithm].length;
}

/**
 * Does the same work whether the user is known or not. Only a client with the right password learns anything about the
 * nonce.
 */
function judge(
  scene: Scene,
  answered: Answered & { readonly user: DigestUser | undefined },
  presented: Presented,
): SchemeVerification | Promise<SchemeVerification> {
  const { nonces, identityOf } = scene;
  const { credentials, algorithm, nonce, user } = answered;
  const ha1 = user?.ha1 ?? nonces.decoy.slice(0, lengthOf(algorithm));
  const input = { ...inputOf(answered, presented), ha1 };
  const session = sessionNonces(scene, answered).find((sessionCnonce) =>
    sameResponse(digestResponse({ ...input, sessionCnonce }), credentials.response),
  );
  // This look-up always runs, so that its time reveals nothing.
  const lacks = scene.users.lacks?.(credentials, algorithm);
  if (user === undefined || session === undefined) return refused('password_wrong', lacks);
  const now = nonces.now();
  if (now - nonce.issuedAt > scene.config.nonce_ttl) return refused('nonce_stale');
  const accept: Accept = {
    identity: identityOf(user.username),
    answerFields: info(scene, answered, presented.head, { ...input, sessionCnonce: session }),
  };
  const usage = use(scene, answered, now);
  return usage instanceof Promise ? usage.then((told) => settled(told, accept)) : settled(usage, accept);
}

type Accept = Pick<Verified, 'identity' | 'answerFields'>;

function settled(usage: NonceUsage | undefined, accept: Accept): SchemeVerification {
  if (usage === undefined) return outage('counters', 1, 'the shared nonce counts are unreachable');
  if (usage === 'fresh') return { kind: 'verified', cache: 'miss', ...accept };
  return refused(usage === 'repeated' ? 'nonce_replayed' : 'nonce_stale');
}

/**
 * A session keeps the cnonce of its first request (RFC 7616 §3.4.2). But most clients use a new cnonce for each
 * request.
 */
function sessionNonces({ nonces }: Scene, { credentials, algorithm, nonce }: Answered): readonly string[] {
  const { cnonce = '' } = credentials;
  const first = digestAlgorithms[algorithm].session ? nonces.counts.cnonceOf(nonce) : undefined;
  return first === undefined || first === cnonce ? [cnonce] : [cnonce, first];
}

function inputOf({ credentials, algorithm }: Answered, { head, entity }: Presented) {
  const { nonce, cnonce, protection, uri } = credentials;
  return { algorithm, nonce, cnonce, protection, method: head.method, uri, entity };
}

function sameResponse(computed: string, response: string): boolean {
  return sameBytes(Buffer.from(computed, 'latin1'), Buffer.from(response, 'latin1'));
}

function use(
  { config, nonces, useNonce }: Scene,
  { credentials, algorithm, nonce }: Answered,
  now: number,
): NonceUsage | Promise<NonceUsage | undefined> {
  const { protection, cnonce } = credentials;
  const count = protection === undefined ? 'last' : countOf(protection.nc);
  const expiresAt = nonce.issuedAt + config.nonce_ttl;
  if (useNonce !== undefined) return useNonce({ ...nonce, lifetime: expiresAt - now + SPARE, count, mode: config.nc });
  const session = digestAlgorithms[algorithm].session ? cnonce : undefined;
  return nonces.counts.use(nonce, { count, mode: config.nc, now, expiresAt, cnonce: session });
}

/** Eight hexadecimal digits. `parseInt` takes longer for them than the rest of the count. */
function countOf(nc: string): number {
  let count = 0;
  for (let at = 0; at < nc.length; at++) count = count * 16 + digitOf(nc.charCodeAt(at));
  return count;
}

const NINE = 0x39;

/** `code`: of a digit, or of a letter in either case. */
function digitOf(code: number): number {
  return code <= NINE ? code & 15 : (code & 15) + 9;
}

/** Milliseconds. Another process may consider a nonce younger than this process does. */
const SPARE = 10_000;

/** A nonce gets a successor once this part of its lifetime has passed. */
const LATE = 0.8;

/**
 * RFC 7616 §3.5: proof that the server knows the password, too. auth-int would need the body of a streamed answer, so
 * it has no proof.
 */
function info(scene: Scene, answered: Answered, head: RequestHead, input: ResponseInput): readonly string[] {
  const { protection, cnonce } = answered.credentials;
  if (protection?.qop !== 'auth' || cnonce === undefined) return [];
  const rspauth = digestResponse({ ...input, method: '' });
  const nextnonce = nextNonce(scene, answered, head);
  return ['authentication-info', formatAuthenticationInfo({ rspauth, cnonce, protection, nextnonce })];
}

function nextNonce(scene: Scene, { nonce }: Answered, head: RequestHead): string | undefined {
  const { config, nonces } = scene;
  const isLate = nonces.now() - nonce.issuedAt > config.nonce_ttl * LATE;
  return config.nextnonce && isLate ? nonces.issue(purposeFor(scene, head)) : undefined;
}
