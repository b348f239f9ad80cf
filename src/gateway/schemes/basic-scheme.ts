import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressBlock } from '../../base/address-block.ts';
import type { Clock } from '../../base/clock.ts';
import { refused } from '../../base/verdict.ts';
import type { BasicConfig } from '../../config/gateway.ts';
import type { Htpasswd } from '../../config/htpasswd.ts';
import { type BasicCredentials, basicChallenge, parseBasic } from '../../http-auth/basic.ts';
import type { Throttle } from '../../storage/counters-throttle.ts';
import type { Identity, SchemeVerification } from '../identity.ts';
import { isSecureEnough } from '../lifecycle/transport.ts';
import type { RequestHead } from '../request-head.ts';
import { guard } from './guarded-login.ts';
import type { HttpScheme } from './http-scheme.ts';
import { dearest, type PasswordJudge } from './password-judge.ts';
import { userIdentities } from './user-identity.ts';

export interface BasicParts {
  readonly config: BasicConfig;
  readonly realm: string;
  readonly users: Htpasswd;
  readonly judge: PasswordJudge;
  readonly throttle: Throttle;
  readonly clock: Clock;
}

/** A password that was right is not hashed again for so long, in milliseconds; and of so many users at most. */
const REMEMBERED_FOR = 60_000;
const REMEMBERED = 10_000;

type Right = Extract<BasicCredentials, { kind: 'credentials' }>;

/** Basic (RFC 7617) on the routes that share one block. */
export function basicScheme(parts: BasicParts): HttpScheme {
  const { config, realm, users, judge, throttle } = parts;
  const verified = rememberVerified(parts.clock);
  const identityOf = userIdentities({ scheme: 'basic', realm, scopes: config.scopes });
  const decoy = dearest(users.values());
  const mayCarry = (head: RequestHead) => config.allow_insecure || isSecureEnough(head);
  const challenge = basicChallenge({ realm, charset: config.charset });

  const check = async ({ username, password }: Right, key: string, address: string): Promise<SchemeVerification> => {
    const stored = users.get(username) ?? decoy;
    const judged = stored === undefined ? 'wrong' : await judge.judge(stored, password, addressBlock(address));
    if (typeof judged === 'object') return judged;
    if (judged === 'wrong' || !users.has(username)) return refused('password_wrong');
    return { kind: 'verified', identity: verified.keep(key, identityOf(username)), cache: 'miss' };
  };

  return {
    name: 'basic',
    wantsEntity: () => undefined,
    challenges: (head) => (mayCarry(head) ? [challenge] : []),
    verify({ value, head }) {
      if (!mayCarry(head)) return refused('transport_insecure');
      const parsed = parseBasic(value);
      if (parsed.kind !== 'credentials') return refused('authorization_malformed');
      const key = verified.keyOf(parsed);
      const identity = verified.recall(key);
      if (identity !== undefined) return { kind: 'verified', identity, cache: 'hit' };
      const name = `basic ${realm.length}:${realm}${parsed.username}`;
      const guarded = { throttle, name, address: head.origin.address };
      return guard(guarded, () => verified.once(key, () => check(parsed, key, head.origin.address)));
    },
  };
}

interface VerifiedCredentials {
  /** Of the whole credential, its parts told apart by their lengths (advisory 27); nothing can be read from it. */
  keyOf(credentials: Right): string;
  recall(key: string): Identity | undefined;
  keep(key: string, identity: Identity): Identity;
  /** Whoever asks for the same at the same time gets the same answer. */
  once(key: string, check: () => Promise<SchemeVerification>): Promise<SchemeVerification>;
}

function rememberVerified(clock: Clock): VerifiedCredentials {
  const secret = randomBytes(32);
  const underWay = new Map<string, Promise<SchemeVerification>>();
  const known = new LRUCache<string, { identity: Identity; until: number }>({ max: REMEMBERED });
  return {
    keyOf: ({ username, password }) =>
      createHmac('sha256', secret).update(`${username.length}:${username}${password}`).digest('base64'),
    recall(key) {
      const found = known.get(key);
      return found !== undefined && found.until > clock.monotonic() ? found.identity : undefined;
    },
    keep(key, identity) {
      known.set(key, { identity, until: clock.monotonic() + REMEMBERED_FOR });
      return identity;
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
