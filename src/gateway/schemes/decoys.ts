import { decoyCost } from '../../base/decoy.ts';
import { sha256 } from '../../base/secret.ts';
import type { StoredPassword } from '../../config/files/stored-password.ts';

/** Decoy hashes for unknown names: one of each cost that the users' hashes have. */
export class DecoyHashes {
  readonly #counts = new Map<string, number>();
  readonly #examples = new Map<string, StoredPassword>();
  readonly #key: Uint8Array;

  /** The key depends only on the passwords, so every process with these users chooses the same decoys. */
  constructor(stored: readonly StoredPassword[]) {
    for (const each of stored) this.#add(each);
    const [least = ''] = stored.map(secretOf).filter(Boolean).sort();
    this.#key = sha256(`decoys\n${least}`);
  }

  /** Undefined: there are no users. The result can be a real user's hash, so a match must never let a caller in. */
  of(name: string): StoredPassword | undefined {
    return this.#examples.get(decoyCost(this.#key, name, this.#counts) ?? '');
  }

  /** Notes the cost of a found user's hash. */
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
  /** Equal costs mean that judging takes equal work. */
  cost(stored: Of): string;
  /** The part of the hash that no client knows. Empty: there is none. */
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

/** `kind` selects the row, so the row's type is right. */
function kindOf(stored: StoredPassword): Kind<StoredPassword> {
  return kinds[stored.kind] as Kind<StoredPassword>;
}

function costOf(stored: StoredPassword): string {
  return `${stored.kind} ${kindOf(stored).cost(stored)}`;
}

function secretOf(stored: StoredPassword): string {
  return kindOf(stored).secret(stored);
}
