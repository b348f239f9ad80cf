import { type Command, Help, type HelpConfiguration, type Option, type OutputConfiguration } from 'commander';
import { closest } from '../../config/words/closest.ts';
import { NO_SECRETS } from './config-option.ts';
import { type HelpRow, helpBelow, helpRows } from './help-rows.ts';

/** The style of the help for all commands. */
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

export const errorStyle: OutputConfiguration = { outputError: (text, write) => write(withoutSurplus(text)) };

/** Commander repeats surplus arguments. Such an argument may be a token, and a CI log would keep it. */
function withoutSurplus(text: string): string {
  return text.replace(/^(error: too many arguments.* but got \d+): .*/s, '$1.\n');
}

/** Adds the options and texts that every command has. Call it after all commands are registered. */
export function styleCommands(program: Command): void {
  for (const [path, command] of leaves(program)) {
    const row = helpRows[path];
    if (row !== undefined) command.addHelpText('after', helpBelow(row));
    if (row?.secret !== undefined) sayWhereSecretsGo(command, row);
    nameMisspelt(command);
  }
}

/** The commands without subcommands, by the words that lead to each. */
export function leaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0 && path.length > 0) return [[path.join(' '), command]];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

/** A user may write the secret into the arguments: as a surplus argument, or as the value of an option that does not exist. */
function sayWhereSecretsGo(command: Command, { secret, examples }: HelpRow): void {
  const example = examples.find((line) => line.includes(' < '));
  const lines = [
    `The command reads the ${secret} from standard input, because other users of this machine can see a command line.`,
    ...(example === undefined ? [] : [`Example: ${example}`]),
  ];
  command.configureOutput({
    outputError: (text, write) => write(withoutSurplus(text) + (GAVE_SECRET.test(text) ? `${lines.join('\n')}\n` : '')),
  });
}

const GAVE_SECRET = /^error: (?:too many arguments|unknown option '--[\w-]*(?:pass|secret|token|key))/;

/** Reports a misspelt option before a required option that is missing because of it. Commander reports the other first. */
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

/** Options that exist, but not for every command. */
const elsewhere: Readonly<Record<string, string>> = {
  [NO_SECRETS]:
    ' Only check, diff, routes, explain and config show accept this option: a program that runs needs its secrets',
};

/** The text after `=` may be a secret. */
function refuse(command: Command, flag: string): never {
  const name = flag.replace(/=.*$/s, '');
  const known = command.options.flatMap(({ long }: Option) => long ?? []);
  const meant = closest(name, [...known, '--help']);
  const hint = elsewhere[name] ?? (meant === undefined ? '' : ` Did you mean ${meant}?`);
  return command.error(`error: unknown option '${name}'.${hint}`, { code: 'commander.unknownOption' });
}
