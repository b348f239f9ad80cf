import { hash, randomBytes } from 'node:crypto';
import { BoundedCache } from '../../../base/bounded-cache.ts';
import type { Asker } from '../../../base/bounded-queue.ts';
import { addressBlock } from '../../../base/client-address.ts';
import type { Clock } from '../../../base/clock.ts';
import { refused } from '../../../base/verdict.ts';
import type { BasicConfig } from '../../../config/schemes/basic/schema.ts';
import type { Throttle } from '../../../counters/throttle.ts';
import { type BasicCredentials, basicChallenge, parseBasic } from '../../../http-auth/basic.ts';
import type { Identity, SchemeVerification, Verified } from '../../message/identity.ts';
import type { RequestHead } from '../../message/request-head.ts';
import { guardLogin } from '../guarded-login.ts';
import type { HttpScheme } from '../http-scheme.ts';
import type { LookupResult } from '../lookup-result.ts';
import type { PasswordJudge } from '../password-judge.ts';
import { isSecureEnough } from '../transport.ts';
import { userIdentities } from '../user-identity.ts';
import type { BasicUser, BasicUsers } from './basic-users.ts';

export interface BasicParts {
  readonly config: BasicConfig;
  readonly realm: string;
  readonly users: BasicUsers;
  readonly judge: PasswordJudge;
  readonly throttle: Throttle;
  /** `limits.share`: the most places that one address block may have among passwords that wait to be judged. */
  readonly share: number;
  readonly clock: Clock;
}

/** Milliseconds, and users. A correct password is not hashed again within this time. */
const REMEMBERED_FOR = 60_000;
const REMEMBERED = 10_000;

type Right = Extract<BasicCredentials, { kind: 'credentials' }>;

/** Basic (RFC 7617) on the routes that share one block. */
export function basicScheme(parts: BasicParts): HttpScheme {
  const { config, realm } = parts;
  const scene: Scene = {
    ...parts,
    verified: rememberVerified(parts.clock),
    identityOf: userIdentities({ scheme: 'basic', realm, scopes: config.scopes }),
  };
  const mayCarry = (head: RequestHead) => config.allow_insecure || isSecureEnough(head);
  const challenge = basicChallenge({ realm, charset: config.charset });
  return {
    name: 'basic',
    wantsEntity: () => undefined,
    challenges: (head) => (mayCarry(head) ? [challenge] : []),
    verify({ value, head }) {
      if (!mayCarry(head)) return refused('transport_insecure');
      const sent: Sent = { value, key: scene.verified.keyOf(value), address: head.origin.address };
      const before = scene.verified.recall(sent.key);
      return before === undefined ? verifyAnew(scene, sent) : verifyAgain(scene, sent, before);
    },
  };
}

interface Sent {
  /** The value of the Authorization header. */
  readonly value: string;
  /** The key by which the result is remembered. */
  readonly key: string;
  readonly address: string;
}

/** A site may have a /48 (RFC 6177 §2). With smaller blocks, one attacker could have 65,536 shares. */
function askerOf({ share }: Scene, { address }: Pick<Sent, 'address'>): Asker {
  return { block: addressBlock(address, 48), share };
}

/** The credentials were correct recently. They still are, unless the user or the password has changed. */
function verifyAgain(scene: Scene, sent: Sent, before: Remembered): SchemeVerification | Promise<SchemeVerification> {
  // Only a client that knows correct credentials can send them, so they do not wait in the queue of unknown clients.
  const sought = scene.users.find(before.username, { block: sent.key, share: scene.share, isKnown: true });
  const judge = (told: LookupResult<BasicUser>) => {
    if (told.kind === 'outage') return told;
    const isSame = told.kind === 'found' && told.user.print === before.print;
    return isSame ? before.verified : verifyAnew(scene, sent);
  };
  return sought instanceof Promise ? sought.then(judge) : judge(sought);
}

function verifyAnew(scene: Scene, sent: Sent): SchemeVerification | Promise<SchemeVerification> {
  const parsed = parseBasic(sent.value);
  if (parsed.kind !== 'credentials') return refused('authorization_malformed');
  const sought = scene.users.find(parsed.username, askerOf(scene, sent));
  return sought instanceof Promise
    ? sought.then((told) => guarded(scene, parsed, told, sent))
    : guarded(scene, parsed, sought, sent);
}

interface Scene extends BasicParts {
  readonly verified: VerifiedCredentials;
  readonly identityOf: (username: string) => Identity;
}

function guarded(
  scene: Scene,
  credentials: Right,
  sought: LookupResult<BasicUser>,
  { key, address }: Sent,
): SchemeVerification | Promise<SchemeVerification> {
  if (sought.kind === 'outage') return sought;
  const { verified, throttle, realm, users } = scene;
  const user = sought.kind === 'found' ? sought.user : undefined;
  const name = `basic ${realm.length}:${realm}${users.keyOf(credentials.username)}`;
  const judged = `${key} ${user?.print ?? ''}`;
  const verdict = guardLogin({ throttle, name, address }, () =>
    verified.once(judged, () => check(scene, { ...credentials, user }, address)),
  );
  const remembered = (told: SchemeVerification) => keep(verified, { ...credentials, user, key }, told);
  return verdict instanceof Promise ? verdict.then(remembered) : remembered(verdict);
}

/**
 * Remembers credentials only if the limit let them pass. A correct password in a burst of guesses is not remembered.
 */
function keep(
  verified: VerifiedCredentials,
  { user, username, key }: Asked & { readonly key: string },
  told: SchemeVerification,
): SchemeVerification {
  if (told.kind === 'verified' && user !== undefined)
    verified.keep(key, { username, print: user.print, verified: { ...told, cache: 'hit' } });
  return told;
}

interface Asked {
  readonly user: BasicUser | undefined;
  /** As it was sent, perhaps in a different spelling than the user's. */
  readonly username: string;
  readonly password: string;
}

/** Does the same work whether the user is known or not. */
async function check(scene: Scene, asked: Asked, address: string): Promise<SchemeVerification> {
  const { judge, users, identityOf } = scene;
  const { user, username, password } = asked;
  const decoy = users.decoyOf(username);
  const stored = user?.stored ?? decoy;
  const judged = stored === undefined ? 'wrong' : await judge.judge(stored, password, askerOf(scene, { address }));
  if (typeof judged === 'object') return judged;
  if (judged === 'wrong' || user === undefined) return refused('password_wrong');
  return { kind: 'verified', identity: identityOf(user.username), cache: 'miss' };
}

interface Remembered {
  readonly username: string;
  /** Identifies the password that was stored at that time. */
  readonly print: string;
  readonly verified: Verified;
}

interface VerifiedCredentials {
  /** A hash of the raw header value, which separates name and password (advisory 27). It cannot be reversed. */
  keyOf(value: string): string;
  recall(key: string): Remembered | undefined;
  keep(key: string, right: Remembered): void;
  /** Equal checks at the same time share one result. */
  once(key: string, check: () => Promise<SchemeVerification>): Promise<SchemeVerification>;
}

function rememberVerified(clock: Clock): VerifiedCredentials {
  // One block of the hash. The result never leaves this process, so a secret prefix is a sufficient key.
  const secret = randomBytes(32).toString('hex');
  const underWay = new Map<string, Promise<SchemeVerification>>();
  const known = new BoundedCache<{ right: Remembered; until: number }>(REMEMBERED);
  return {
    keyOf: (value) => hash('sha256', secret + value, 'base64'),
    recall(key) {
      const found = known.get(key);
      return found !== undefined && found.until > clock.monotonic() ? found.right : undefined;
    },
    keep(key, right) {
      known.set(key, { right, until: clock.monotonic() + REMEMBERED_FOR });
    },
    once(key, check) {
      const running = underWay.get(key);
      if (running !== undefined) return running;
      const begun = check().finally(() => underWay.delete(key));
      underWay.set(key, begun);
      return begun;
    },
  };
}
