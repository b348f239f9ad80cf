import { isKnownKey } from '../schema/known-keys.ts';
import type { Repair } from './layout-rows.ts';
import type { Slip } from './unquoted-braces.ts';

type Words = Omit<Slip, 'offset'>;

interface Sign {
  /** `key` is the key, and `rest` is the text after the missing characters. */
  readonly form: RegExp;
  readonly missing: string;
  readonly inWords: (key: string) => Words;
}

const MASKED = 'the excerpt shows `*` for text that may be a secret';

/** A name is shown only if it is a word of the files. Otherwise it may be a part of a secret. */
const signs: readonly Sign[] = [
  {
    form: /^(?<before> *(?:- +)*(["']?)(?<key>[\w-]+)\2:)(?<rest>\S.*)/s,
    missing: ' ',
    inWords: (key) =>
      isKnownKey(key)
        ? { message: `a space is missing after \`${key}:\``, hint: `write \`${key}: …\`` }
        : { message: 'a space is missing after the first `:` of this line', hint: `write \`key: value\`; ${MASKED}` },
  },
  {
    form: /^(?<before> *(?:- +)*-)(?<rest>[^\s-].*)/s,
    missing: ' ',
    inWords: () => ({ message: 'a space is missing after `-`', hint: 'write `- ` before each item of a list' }),
  },
  {
    form: /^(?<before> *(?:- +)*(?<key>[\w.-]*\w))(?<rest>|\s.*)$/s,
    missing: ':',
    inWords: (key) =>
      isKnownKey(key)
        ? { message: `\`:\` is missing after \`${key}\``, hint: `write \`${key}: …\`` }
        : { message: '`:` is missing after the first word of this line', hint: `write \`key: value\`; ${MASKED}` },
  },
];

/** Inserts the space after a key or after `-`, or the colon of a key. */
export function signRepairs(all: readonly string[], line: number): readonly Repair[] {
  const text = all[line] ?? '';
  return signs.flatMap(({ form, missing, inWords }) => {
    const { before, key = '', rest = '' } = form.exec(text)?.groups ?? {};
    if (before === undefined || (rest.startsWith('//') && !isKnownKey(key))) return [];
    const column = before.search(/[^\s-]|-\S|-$/);
    const repaired = `${before}${missing}${rest}`;
    return [{ line, repaired, column, move: 0, to: 0, inWords: () => inWords(key) }];
  });
}
