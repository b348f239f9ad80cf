// How easy a page is to read: the median length of its sentences, Flesch's reading ease, and the share of passive
// verbs.
import { flesch } from 'flesch';
import { syllable } from 'syllable';
import { pageProse } from './page-prose.ts';
import { sentencesOf, wordsOf } from './sentences.ts';

export interface Readability {
  readonly sentences: number;
  /** Words. */
  readonly median: number;
  /** 0 to 100; 60 is plain English. */
  readonly ease: number;
  /** Of sentences, 0 to 1. */
  readonly passive: number;
}

const PASSIVE =
  /\b(?:is|are|was|were|be|been|being)(?: not| never| also| always| then)? (?:\w+ed|known|taken|given|told|sent|kept|held|made|written|shown|read|built|seen|found|lost|left|cut|put|set|asked)\b/;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** @param terms the product's words, which count two syllables: no plainer word exists for them. */
export function readabilityOf(page: string, terms: ReadonlySet<string>): Readability {
  const sentences = pageProse(page)
    .filter(({ kind }) => kind === 'text')
    .flatMap(({ text }) => sentencesOf(text))
    .filter((sentence) => wordsOf(sentence).length > 1);
  const words = sentences.flatMap(wordsOf);
  const syllables = (word: string) => (isTerm(word, terms) ? 2 : syllable(word));
  return {
    sentences: sentences.length,
    median: median(sentences.map((sentence) => wordsOf(sentence).length)),
    ease: flesch({
      sentence: sentences.length,
      word: words.length,
      syllable: words.reduce((sum, word) => sum + syllables(word), 0),
    }),
    passive: sentences.filter((sentence) => PASSIVE.test(sentence)).length / Math.max(1, sentences.length),
  };
}

/** A term, its plural, or a name of code such as `upstream_request`. */
function isTerm(word: string, terms: ReadonlySet<string>): boolean {
  const small = word.toLowerCase().replace(/['’]s$/, '');
  return small === 'codeword' || /[_/.]\w/.test(small) || terms.has(small) || terms.has(small.replace(/s$/, ''));
}

/** @returns the bold words of the table of docs/concepts.md. */
export function termsIn(concepts: string): ReadonlySet<string> {
  return new Set(
    [...concepts.matchAll(/\*\*([a-z -]+)\*\*/gi)].flatMap(([, term = '']) => term.toLowerCase().split(/[ -]/)),
  );
}

export interface PageReadability extends Readability {
  readonly page: string;
}
