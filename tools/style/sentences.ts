// Splits passages into sentences. Code, link addresses and emphasis marks are not words: code counts as one word of two
// syllables.

/** Replaces a piece of code in a sentence. It has two syllables, as the names of keys have. */
export const CODE = 'codeword';

function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/``.+?``|`[^`]*`/g, CODE)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\[[^\]]*\]/g, '$1')
    .replace(/<https?:[^>]*>|https?:\/\/\S+|\{@link ([^}]*)\}/g, CODE)
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/\*\*|__|(?<=\W|^)[*_](?=\w)|(?<=\w)[*_](?=\W|$)/g, '')
    .replace(/\\([|<>*_])/g, '$1');
}

const NO_END = /(?:\b(?:e\.g|i\.e|etc|vs|cf|No|approx)|\b[A-Z])\.$/;

/** @returns the sentences of a passage, without markup. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const paragraph of plain(text).split(/\n\s*\n/)) {
    let open = '';
    for (const piece of paragraph.replace(/\s+/g, ' ').split(/(?<=[.?!][)"'”]?)\s+/)) {
      open = open === '' ? piece : `${open} ${piece}`;
      if (NO_END.test(open)) continue;
      sentences.push(open);
      open = '';
    }
    if (open !== '') sentences.push(open);
  }
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => /[A-Za-z]/.test(sentence));
}

/** Words with a letter. Numbers and signs do not count. */
export function wordsOf(sentence: string): string[] {
  return sentence.match(/[A-Za-z][A-Za-z0-9'’_./-]*/g) ?? [];
}
