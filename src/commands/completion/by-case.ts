import { quoted } from './quote.ts';
import type { Flag, Place } from './tree.ts';

/** The path as a script keeps it: each word with a space before it. */
export function key({ path }: Place): string {
  return path.map((word) => ` ${word}`).join('');
}

/** For a `case` of bash or zsh: what a flag of the place that takes a value is completed by. */
export function valueCases(place: Place, reply: (flag: Flag) => string): readonly string[] {
  const taking = place.flags.filter(({ value }) => value !== undefined);
  return taking.map((flag) => `    ${quoted(`${key(place)} ${flag.word}`)}) ${reply(flag)}; return ;;`);
}
