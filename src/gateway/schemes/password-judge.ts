import { createHash } from 'node:crypto';
import { type Asker, buildBoundedQueue } from '../../base/bounded-queue.ts';
import { buildPasswords, passwordsBusy } from '../../base/passwords.ts';
import { sameBytes } from '../../base/secret.ts';
import type { Outage } from '../../base/verdict.ts';
import type { StoredPassword } from '../../config/files/stored-password.ts';
import { openPasswordThread, type PasswordThread } from './password-thread.ts';

export type PasswordVerdict = 'right' | 'wrong' | Outage;

/** Judges passwords off the event loop, a few at a time. Too many at once are an outage, not wrong passwords. */
export interface PasswordJudge {
  /** `asker` may use only its share of the queues. */
  judge(stored: StoredPassword, password: string, asker?: Asker): Promise<PasswordVerdict>;
  close(): Promise<void>;
}

type Judge<Stored extends StoredPassword> = (
  stored: Stored,
  password: string,
  tools: Tools,
) => Promise<PasswordVerdict>;

interface Tools {
  readonly passwords: ReturnType<typeof buildPasswords>;
  readonly inThread: (stored: Parameters<PasswordThread['ask']>[0], password: string) => Promise<PasswordVerdict>;
  readonly asker: Asker | undefined;
}

const kinds: { readonly [Kind in StoredPassword['kind']]: Judge<Extract<StoredPassword, { kind: Kind }>> } = {
  async argon2id({ phc }, password, { passwords, asker }) {
    const verdict = await passwords.verify(phc, password, { asker });
    if (verdict.kind === 'outage') return verdict;
    return verdict.kind === 'matches' ? 'right' : 'wrong';
  },
  bcrypt: (stored, password, { inThread }) => inThread(stored, password),
  apr1: (stored, password, { inThread }) => inThread(stored, password),
  sha1: async ({ salt, digest }, password) =>
    verdict(sameBytes(createHash('sha1').update(password).update(salt).digest(), digest)),
};

export function openPasswordJudge(): PasswordJudge {
  const passwords = buildPasswords();
  const thread = openPasswordThread();
  const queue = buildBoundedQueue({ atOnce: 1, waiting: 64 });
  const threadFor =
    (asker: Asker | undefined): Tools['inThread'] =>
    async (stored, password) => {
      const right = await queue.run(() => thread.ask(stored, password), asker);
      return right === undefined ? passwordsBusy() : verdict(right);
    };
  return {
    judge: (stored, password, asker) =>
      judgeOf(stored)(stored, password, { passwords, inThread: threadFor(asker), asker }),
    close: () => thread.close(),
  };
}

/** `kind` selects the row, so the row's type is right. */
function judgeOf(stored: StoredPassword): Judge<StoredPassword> {
  return kinds[stored.kind] as Judge<StoredPassword>;
}

function verdict(right: boolean): PasswordVerdict {
  return right ? 'right' : 'wrong';
}
