import { type Avoided, avoided, avoidedForReaders, avoidedInProse, avoidedOpenings, NAMING } from './avoid.ts';
import { codeComments, pageProse, yamlProse } from './page-prose.ts';
import type { Passage } from './passage.ts';
import { sentencesOf, wordsOf } from './sentences.ts';
import { sourceProse } from './source-prose.ts';

/** Words. The aim is about 14. A longer sentence should be two. */
export const LONGEST_SENTENCE = 28;

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly write: string;
}

const readers: readonly (readonly [RegExp, (text: string) => Passage[]])[] = [
  [/\.md$/, (text) => [...pageProse(text), ...codeComments(text)]],
  [/\.(?:ts|js|mjs)$/, sourceProse],
  [/\.(?:ya?ml|tpl|conf|sh)$|Dockerfile$/, yamlProse],
  [/\.txt$/, (text) => pageProse(text.replace(/\{\{[\s\S]*?\}\}/g, 'X'))],
];

/** @returns the passages that a person reads in a file, by its ending. */
export function passagesOf(file: string, text: string): Passage[] {
  return readers.find(([pattern]) => pattern.test(file))?.[1](text) ?? [];
}

function matches(rules: readonly Avoided[], sentence: string): { readonly found: string; readonly write: string }[] {
  return rules.flatMap(({ pattern, write, but }) => {
    const found = pattern.exec(sentence)?.[0];
    return found === undefined || but?.test(sentence) ? [] : [{ found, write }];
  });
}

function judge(sentence: string, kind: Passage['kind']): { readonly found: string; readonly write: string }[] {
  const isWhole = kind !== 'heading' && kind !== 'cell' && !(kind === 'comment' && NAMING.test(sentence));
  // A list after a colon is read item by item.
  const length = Math.max(...sentence.split(kind === 'cell' ? /[:;]\s/ : /:\s/).map((part) => wordsOf(part).length));
  return [
    ...matches(avoided, sentence),
    ...(kind === 'comment' ? [] : matches(avoidedForReaders, sentence)),
    ...(kind === 'text' || kind === 'comment' ? matches(avoidedInProse, sentence) : []),
    ...(isWhole ? matches(avoidedOpenings, sentence) : []).map((each) => ({ ...each, found: sentence.slice(0, 60) })),
    ...(length > LONGEST_SENTENCE && /[.,:;]/.test(sentence)
      ? [{ found: `${length} words: ${sentence.slice(0, 60)}…`, write: `at most ${LONGEST_SENTENCE} words` }]
      : []),
  ];
}

/** @returns what a text must not say, sentence by sentence. */
export function findingsIn(file: string, text: string): Finding[] {
  return passagesOf(file, text).flatMap(({ line, text: passage, kind }) =>
    sentencesOf(passage).flatMap((sentence) => judge(sentence, kind).map((each) => ({ file, line, ...each }))),
  );
}
