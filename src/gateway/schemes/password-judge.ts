import { createHash } from 'node:crypto';
import { buildBoundedQueue } from '../../base/bounded-queue.ts';
import { buildPasswords } from '../../base/passwords.ts';
import { sameBytes } from '../../base/secret.ts';
import { type Outage, outage } from '../../base/verdict.ts';
import type { StoredPassword } from '../../config/stored-password.ts';
import { openPasswordThread, type PasswordThread } from './password-thread.ts';

export type Judged = 'right' | 'wrong' | Outage;

/** Judges passwords off the event loop, a few at a time. Too many at once are an outage, never a wrong password. */
export interface PasswordJudge {
  /** `forWhom`: who asks, such as an address; a share of the queues is theirs, and no more. */
  judge(stored: StoredPassword, password: string, forWhom?: string): Promise<Judged>;
  close(): Promise<void>;
}

interface Judge<Kind extends StoredPassword['kind']> {
  /** Roughly, in milliseconds: an unknown user costs what the dearest user of the file costs. */
  cost(stored: Extract<StoredPassword, { kind: Kind }>): number;
  judge(stored: Extract<StoredPassword, { kind: Kind }>, password: string, tools: Tools): Promise<Judged>;
}

interface Tools {
  readonly passwords: ReturnType<typeof buildPasswords>;
  readonly inThread: (stored: Parameters<PasswordThread['ask']>[0], password: string) => Promise<Judged>;
  readonly forWhom: string | undefined;
}

const kinds: { readonly [Kind in StoredPassword['kind']]: Judge<Kind> } = {
  argon2id: {
    cost: ({ cost: { memory, passes } }) => (memory * passes) / 1000,
    async judge({ phc }, password, { passwords, forWhom }) {
      const verdict = await passwords.verify(phc, password, forWhom);
      if (verdict.kind === 'outage') return verdict;
      return verdict.kind === 'matches' ? 'right' : 'wrong';
    },
  },
  bcrypt: {
    cost: ({ rounds }) => 2 ** rounds / 15,
    judge: (stored, password, { inThread }) => inThread(stored, password),
  },
  apr1: { cost: () => 1, judge: (stored, password, { inThread }) => inThread(stored, password) },
  sha1: {
    cost: () => 0,
    judge: async ({ salt, digest }, password) =>
      verdict(sameBytes(createHash('sha1').update(password).update(salt).digest(), digest)),
  },
};

/** `Retry-After`, seconds: the queue is a second or two long. */
const RETRY_AFTER = 2;

export function openPasswordJudge(): PasswordJudge {
  const passwords = buildPasswords();
  const thread = openPasswordThread();
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 64, each: 16 });
  const threadFor =
    (forWhom: string | undefined): Tools['inThread'] =>
    async (stored, password) => {
      const right = await queue.run(() => thread.ask(stored, password), forWhom);
      return right === undefined ? busy() : verdict(right);
    };
  return {
    judge: (stored, password, forWhom) =>
      judgeOf(stored).judge(stored, password, { passwords, inThread: threadFor(forWhom), forWhom }),
    close: () => thread.close(),
  };
}

/** The dearest of a file, to be judged for whoever is not in it; undefined: the file is empty. */
export function dearest(all: Iterable<StoredPassword>): StoredPassword | undefined {
  const ranked = [...all].sort((one, other) => judgeOf(other).cost(other) - judgeOf(one).cost(one));
  return ranked[0];
}

/** What a row takes is what its own key says. */
function judgeOf(stored: StoredPassword): Judge<StoredPassword['kind']> {
  return kinds[stored.kind] as Judge<StoredPassword['kind']>;
}

function verdict(right: boolean): Judged {
  return right ? 'right' : 'wrong';
}

function busy(): Outage {
  return outage('passwords', RETRY_AFTER, 'too many passwords are being judged at this moment');
}
