import { type Command, Help, type HelpConfiguration, type Option, type OutputConfiguration } from 'commander';
import { closest } from '../../config/words/closest.ts';
import { NO_SECRETS } from './config-option.ts';
import { helpBelow, helpRows } from './help-rows.ts';

/** How the help of every command describes an option. */
export const helpStyle: HelpConfiguration = {
  optionDescription(option) {
    if (option.mandatory) return `${option.description} (required)`;
    const { defaultValue, presetArg } = option;
    const hidesDefault = Array.isArray(defaultValue) && defaultValue.length === 0;
    return hidesDefault || presetArg !== undefined
      ? option.description
      : Help.prototype.optionDescription.call(this, option);
  },
};

/** Commander repeats what is too much. It may be a token, which belongs on standard input, and the log of CI keeps it. */
export const errorStyle: OutputConfiguration = {
  outputError: (text, write) => write(text.replace(/^(error: too many arguments.* but got \d+): .*/s, '$1.\n')),
};

/** Adds what every command of the tree has. Called once all are registered. */
export function styleCommands(program: Command): void {
  for (const [path, command] of leaves(program)) {
    const row = helpRows[path];
    if (row !== undefined) command.addHelpText('after', helpBelow(row));
    nameMisspelt(command);
  }
}

/** Commands without commands below them, by the words that lead to each. */
export function leaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0 && path.length > 0) return [[path.join(' '), command]];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

/** A misspelt option is reported before a required one that is missing because of it: commander does it the other way round. */
function nameMisspelt(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const parsed = parse(args);
    const flag = parsed.unknown.find((word) => /^-./.test(word));
    if (flag !== undefined && !parsed.unknown.some(isHelp)) refuse(command, flag);
    return parsed;
  };
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Options that are known, and not for every command. */
const elsewhere: Readonly<Record<string, string>> = {
  [NO_SECRETS]: ' Only check, diff, routes, explain and config show take it: what runs needs its secrets',
};

/** What follows `=` may be a secret. */
function refuse(command: Command, flag: string): never {
  const name = flag.replace(/=.*$/s, '');
  const known = command.options.flatMap(({ long }: Option) => long ?? []);
  const meant = closest(name, [...known, '--help']);
  const hint = elsewhere[name] ?? (meant === undefined ? '' : ` Did you mean ${meant}?`);
  return command.error(`error: unknown option '${name}'.${hint}`, { code: 'commander.unknownOption' });
}
