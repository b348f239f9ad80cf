import { distance } from './closest.ts';

interface Known {
  readonly word: string;
  readonly order: number;
  readonly letters: string;
}

/** Words in order of arrival. It finds a word that is one typing error away, without comparing each word with each. */
export class NearWords {
  /**
   * Each word by itself, and by each of its forms without one letter. Two words that are one typing error apart have a form in
   * common.
   */
  readonly #byRest = new Map<string, Known[]>();
  #count = 0;

  /** The first known word that is one typing error away. Words that differ only in numbers differ on purpose. */
  find(word: string): string | undefined {
    const letters = lettersOf(word);
    let first: Known | undefined;
    for (const rest of restsOf(word)) {
      for (const known of this.#byRest.get(rest) ?? []) {
        const isLater = first !== undefined && known.order >= first.order;
        if (!isLater && known.letters !== letters && distance(word, known.word) === 1) first = known;
      }
    }
    return first?.word;
  }

  add(word: string): void {
    const known = { word, order: this.#count++, letters: lettersOf(word) };
    for (const rest of restsOf(word)) {
      const group = this.#byRest.get(rest);
      if (group === undefined) this.#byRest.set(rest, [known]);
      else group.push(known);
    }
  }
}

function lettersOf(word: string): string {
  return word.replace(/[0-9]/g, '');
}

function restsOf(word: string): ReadonlySet<string> {
  const rests = new Set([word]);
  for (let index = 0; index < word.length; index++) rests.add(word.slice(0, index) + word.slice(index + 1));
  return rests;
}
