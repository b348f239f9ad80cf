import { randomBytes } from 'node:crypto';

/** Characters. A shorter piece of a secret is useless. */
const PIECE = 12;

/** A secret that occurs in no other text. */
export function canary(prefix = ''): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return prefix + [...randomBytes(40)].map((byte) => letters[byte % letters.length]).join('');
}

type Form = (text: string) => readonly string[];

/** After other text too, where base64 looks different. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.from('\0'.repeat(shift) + text).toString('base64');
    const own = encoded.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The encoded forms that a search for the secret would miss. */
const forms: Form = (text) => {
  const hex = Buffer.from(text).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  return [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), hex, hex.toUpperCase(), percent].concat(
    percent.toUpperCase(),
    base64Forms(text),
    [...text].reverse().join(''),
  );
};

/** Finds any piece of any of these secrets, in any form, in a text. */
export class Canaries {
  readonly #pieces = new Map<string, string>();

  add(name: string, ...secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < PIECE) throw new Error(`${name} is too short to be looked for: ${secret.length}`);
      for (const form of forms(secret))
        for (let at = 0; at + PIECE <= form.length; at++) this.#pieces.set(form.slice(at, at + PIECE), name);
    }
  }

  get size(): number {
    return new Set(this.#pieces.values()).size;
  }

  /** Names of the secrets of which a piece was found, with the text around it. */
  leaksIn(text: string): string[] {
    const found = new Map<string, string>();
    for (let at = 0; at + PIECE <= text.length; at++) {
      const name = this.#pieces.get(text.slice(at, at + PIECE));
      if (name !== undefined && !found.has(name))
        found.set(name, `${name}: …${text.slice(Math.max(0, at - 80), at + 40)}…`);
    }
    return [...found.values()];
  }
}
