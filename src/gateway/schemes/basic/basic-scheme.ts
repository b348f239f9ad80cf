import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
  /** `limits.share`: of the places where passwords wait to be judged, the most that one address block has. */
  readonly share: number;
  readonly clock: Clock;
}

/** A password that was right is not hashed again for so long, in milliseconds; and of so many users at most. */
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
  /** What it is remembered by. */
  readonly key: string;
  readonly address: string;
}

/** A site may have a /48 (RFC 6177 §2), so a smaller block would be a share for each of 65,536 addresses of one stranger. */
function askerOf({ share }: Scene, { address }: Pick<Sent, 'address'>): Asker {
  return { block: addressBlock(address, 48), share };
}

/** Right a moment ago: so it is still, unless the user or the password was changed since. */
function verifyAgain(scene: Scene, sent: Sent, before: Remembered): SchemeVerification | Promise<SchemeVerification> {
  // No stranger can pass for credentials that were right, so they do not wait in the line of strangers.
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

/** Only what the limit let pass is remembered: the right one of a burst of guesses is not. */
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
  /** As it was sent, which may be another spelling of the user's. */
  readonly username: string;
  readonly password: string;
}

/** The same work whether the user is known or not. */
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
  /** The stored password at that time. */
  readonly print: string;
  readonly verified: Verified;
}

interface VerifiedCredentials {
  /** A hash of the raw header value, which separates name and password (advisory 27). It cannot be reversed. */
  keyOf(value: string): string;
  recall(key: string): Remembered | undefined;
  keep(key: string, right: Remembered): void;
  /** Callers that ask for the same at the same time share the answer. */
  once(key: string, check: () => Promise<SchemeVerification>): Promise<SchemeVerification>;
}

function rememberVerified(clock: Clock): VerifiedCredentials {
  // One block of the hash. What it gives never leaves this process, so a prefix keys it well enough.
  const secret = randomBytes(32).toString('hex');
  const underWay = new Map<string, Promise<SchemeVerification>>();
  const known = new LRUCache<string, { right: Remembered; until: number }>({ max: REMEMBERED });
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
