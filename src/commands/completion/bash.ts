import { key, valueCases } from './by-case.ts';
import { shellQuoted } from './quote.ts';
import type { CompletionNode, CompletionValue, Flag } from './tree.ts';

/** For bash 3.2, which macOS has, and newer. It needs no other file. */
export function bashScript(places: readonly CompletionNode[]): string {
  return `# bash completion of gatehouse: gatehouse completion bash
_gatehouse() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word i
  # bash takes --format=json apart at the sign
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path $word" in
${places.flatMap(steps).join('\n')}
    esac
  done
  COMPREPLY=()
  case "$path $prev" in
${places.flatMap((place) => valueCases(place, reply)).join('\n')}
  esac
  case "$path" in
${places.map(words).join('\n')}
  esac
}
complete -F _gatehouse gatehouse
`;
}

function steps(place: CompletionNode): readonly string[] {
  return place.commands.map(({ word }) => `      ${shellQuoted(`${key(place)} ${word}`)}) path="$path $word" ;;`);
}

function reply({ value = { kind: 'free' } }: Flag): string {
  return commands[value.kind](value) || ':';
}

const commands: Readonly<Record<CompletionValue['kind'], (value: CompletionValue) => string>> = {
  words: (value) => generate(`-W ${shellQuoted(value.kind === 'words' ? value.words.join(' ') : '')}`),
  file: () => `compopt -o filenames 2>/dev/null; ${generate('-f')}`,
  free: () => '',
};

/** Reads line by line, so that a filename with a space stays one word. */
function generate(what: string): string {
  return `while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen ${what} -- "$cur")`;
}

function words(place: CompletionNode): string {
  const own = place.value.kind === 'words' ? place.value.words : [];
  const all = [...place.commands.map(({ word }) => word), ...own].join(' ');
  const flags = place.flags.map(({ word }) => word).join(' ');
  const rest = place.value.kind === 'file' ? commands.file(place.value) : generate(`-W ${shellQuoted(all)}`);
  return `    ${shellQuoted(key(place))})
      if [[ $cur == -* ]]; then ${generate(`-W ${shellQuoted(flags)}`)}; else ${rest}; fi ;;`;
}
