import type { Difference } from './oracle.ts';
import type { Reader } from './readers.ts';
import type { RuleFile } from './rule-files.ts';

/** Differences that the contract allows, each with its sentence. No other difference is ignored. */
interface LeftOut {
  readonly name: string;
  readonly sentence: string;
  readonly holds: (difference: Difference, file: RuleFile, reader: Reader) => boolean;
}

const encodedSlash: LeftOut = {
  name: 'encoded slash kept',
  // docs/errors.md, target_encoded_slash. `check` warns of the file.
  sentence: 'If the API reads %2F as part of a name, set `encoded_slashes: keep` on the route',
  holds: ({ ask }, { keeps }, { keepsEncodedSlashes }) => keeps && !keepsEncodedSlashes && /%2f/i.test(ask.target),
};

const parameter: LeftOut = {
  name: 'parameter kept',
  // Semantics 2 of the contract. `check` warns of the file.
  sentence: '`%2F` and `;`, also written `%3B`, are judged by their own keys',
  holds: ({ ask }, { keeps }, { keepsParameters }) => keeps && !keepsParameters && /;|%3b/i.test(ask.target),
};

const rows: readonly LeftOut[] = [encodedSlash, parameter];

/** By name, with the sentence that allows them. */
export const sentences: ReadonlyMap<string, string> = new Map(rows.map(({ name, sentence }) => [name, sentence]));

/** The row that allows a difference; undefined: the difference is a hole. */
export function leftOutBy(difference: Difference, file: RuleFile, reader: Reader): string | undefined {
  return rows.find(({ holds }) => holds(difference, file, reader))?.name;
}

/** Rows that must occur for this reader: the allowed difference exists, or the row is wrong. */
export function breaches(reader: Reader): readonly string[] {
  return [
    ...(reader.keepsEncodedSlashes ? [] : [encodedSlash.name]),
    ...(reader.keepsParameters ? [] : [parameter.name]),
  ];
}
