import type { Argument, Command, Option } from 'commander';

/** The possible next word: one of these, a file, or free text. */
export type CompletionValue =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'free' };

/** A word and its description in the help. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface Flag extends Word {
  /** Undefined: it takes no value. */
  readonly value: CompletionValue | undefined;
}

/** A command, by the words that lead to it, and the words that may follow. */
export interface CompletionNode {
  /** Empty: `gatehouse` itself. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly flags: readonly Flag[];
  readonly value: CompletionValue;
}

/** All commands of the tree; `gatehouse` itself is the first. */
export function commandTree(command: Command, path: readonly string[] = []): readonly CompletionNode[] {
  const below = command.commands.map((each) => ({ word: each.name(), about: each.description() }));
  const place = { path, commands: below, flags: flagsOf(command), value: argumentValue(command.registeredArguments) };
  return [place, ...command.commands.flatMap((each) => commandTree(each, [...path, each.name()]))];
}

function flagsOf(command: Command): readonly Flag[] {
  return command.createHelp().visibleOptions(command).flatMap(spellings);
}

function spellings(option: Option): readonly Flag[] {
  const value = option.required || option.optional ? optionValue(option) : undefined;
  return [option.long, option.short]
    .filter((word) => word !== undefined && word !== null)
    .map((word) => ({ word, about: option.description, value }));
}

function optionValue({ argChoices, flags }: Option): CompletionValue {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  return { kind: /<file>/.test(flags) ? 'file' : 'free' };
}

/** If a command takes several arguments, all are of one kind. */
const files: ReadonlySet<string> = new Set(['file', 'old', 'new']);

function argumentValue([first]: readonly Argument[]): CompletionValue {
  if (first?.argChoices !== undefined) return { kind: 'words', words: first.argChoices };
  return { kind: first !== undefined && files.has(first.name()) ? 'file' : 'free' };
}
