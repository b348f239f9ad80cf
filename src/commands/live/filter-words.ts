import type { Command } from 'commander';
import { parseFilter } from '../../gateway/console/live/filter.ts';

/** `-client:shop` and `-/health` exclude. No option looks like this. */
const EXCLUDES = /^-(?:[a-z_]{2,}:|[^\w-])/;

/** Lets the words of a filter begin with `-`, even before `--`. */
export function acceptExclusions(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const isExclusion = (word: string, at: number) => at < end && EXCLUDES.test(word);
    const parsed = parse(args.filter((word, at) => !isExclusion(word, at)));
    return { ...parsed, operands: [...parsed.operands, ...args.filter(isExclusion)] };
  };
}

/** One filter from the words of a command line. */
export function filterOf(words: readonly string[], command: Command): string {
  const filter = words.join(' ');
  const parsed = parseFilter(filter);
  if (!parsed.ok) command.error(`error: ${parsed.fault}`);
  return filter;
}
