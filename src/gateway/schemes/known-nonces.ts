import { ownText } from '../../base/own-text.ts';
import { type Nonce, readNonce } from '../../http-auth/nonce.ts';

/** Anyone can get any number of nonces. A flood of them only makes this cache forget. */
const MOST = 16_384;

interface Known {
  readonly nonce: Nonce;
  readonly purpose: string;
}

/**
 * Verifies the MAC of a nonce once for all its uses. The age and the counts of a nonce are judged at each use. Other
 * keys have their own object, so a nonce of a removed key is rejected at once.
 */
export class KnownNonces {
  readonly #keys: readonly Uint8Array[];
  readonly #known = new Map<string, Known>();

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  /** Undefined: none of the keys made it, or it has another purpose. */
  read(text: string, purpose: string): Nonce | undefined {
    const known = this.#known.get(text);
    if (known?.purpose === purpose) return known.nonce;
    const own = ownText(text);
    const nonce = readNonce(this.#keys, own, purpose);
    if (nonce !== undefined) this.#remember(own, { nonce, purpose });
    return nonce;
  }

  #remember(text: string, known: Known): void {
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(text, known);
  }
}
