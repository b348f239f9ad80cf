import { shellQuoted } from './quote.ts';
import type { CompletionNode, Flag } from './tree.ts';

/** The path in the form of the scripts: each word after a space. */
export function key({ path }: CompletionNode): string {
  return path.map((word) => ` ${word}`).join('');
}

/** For a `case` of bash or zsh: the completions of a flag's value. */
export function valueCases(place: CompletionNode, reply: (flag: Flag) => string): readonly string[] {
  const taking = place.flags.filter(({ value }) => value !== undefined);
  return taking.map((flag) => `    ${shellQuoted(`${key(place)} ${flag.word}`)}) ${reply(flag)}; return ;;`);
}
