import { decoyCost } from '../../base/decoy.ts';
import { sha256 } from '../../base/secret.ts';
import type { StoredPassword } from '../../config/files/stored-password.ts';

/** What a password is judged by where nobody has the name: by one of each cost that occurs among the users. */
export class DecoyHashes {
  readonly #counts = new Map<string, number>();
  readonly #examples = new Map<string, StoredPassword>();
  readonly #key: Uint8Array;

  /** The key comes of the passwords, so that every process with these users chooses the same. */
  constructor(stored: readonly StoredPassword[]) {
    for (const each of stored) this.#add(each);
    const [least = ''] = stored.map(secretOf).filter(Boolean).sort();
    this.#key = sha256(`decoys\n${least}`);
  }

  /** Undefined: there is nobody. What is answered is some user's: only a user who was found may be let in by it. */
  of(name: string): StoredPassword | undefined {
    return this.#examples.get(decoyCost(this.#key, name, this.#counts) ?? '');
  }

  /** Of a user who was found: the cost occurs. */
  met(stored: StoredPassword): void {
    if (!this.#counts.has(costOf(stored))) this.#add(stored);
  }

  #add(stored: StoredPassword): void {
    const cost = costOf(stored);
    this.#counts.set(cost, (this.#counts.get(cost) ?? 0) + 1);
    if (!this.#examples.has(cost)) this.#examples.set(cost, stored);
  }
}

interface Kind<Of extends StoredPassword> {
  /** The same where judging takes the same work. */
  cost(stored: Of): string;
  /** What nobody can know of it, the user neither; empty: there is nothing. */
  secret(stored: Of): string;
}

const kinds: { readonly [Name in StoredPassword['kind']]: Kind<Extract<StoredPassword, { kind: Name }>> } = {
  argon2id: {
    cost: ({ cost: { memory, passes, lanes } }) => [memory, passes, lanes].join(),
    secret: ({ phc }) => phc,
  },
  bcrypt: { cost: ({ rounds }) => String(rounds), secret: ({ text }) => text },
  apr1: { cost: () => '', secret: ({ salt, digest }) => salt + digest },
  sha1: { cost: () => '', secret: ({ salt }) => Buffer.from(salt).toString('base64') },
};

/** What a row takes is what its own key says. */
function kindOf(stored: StoredPassword): Kind<StoredPassword> {
  return kinds[stored.kind] as Kind<StoredPassword>;
}

function costOf(stored: StoredPassword): string {
  return `${stored.kind} ${kindOf(stored).cost(stored)}`;
}

function secretOf(stored: StoredPassword): string {
  return kindOf(stored).secret(stored);
}
