import { key, valueCases } from './by-case.ts';
import { shellQuoted } from './quote.ts';
import type { CompletionNode, CompletionValue, Flag, Word } from './tree.ts';

/** A function for `fpath`. If the script is sourced, it registers itself. */
export function zshScript(places: readonly CompletionNode[]): string {
  return `#compdef gatehouse
# zsh completion of gatehouse: gatehouse completion zsh
_gatehouse() {
  local path_='' word prev=\${words[CURRENT-1]}
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${places.flatMap(steps).join('\n')}
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    prev=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case "$path_ $prev" in
${places.flatMap((place) => valueCases(place, reply)).join('\n')}
  esac
  case "$path_" in
${places.map(place).join('\n')}
  esac
}
if [[ "$funcstack[1]" == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi
`;
}

function steps(place: CompletionNode): readonly string[] {
  return place.commands.map(({ word }) => `      ${shellQuoted(`${key(place)} ${word}`)}) path_="$path_ $word" ;;`);
}

function reply({ value = { kind: 'free' } }: Flag): string {
  return replies[value.kind](value);
}

const replies: Readonly<Record<CompletionValue['kind'], (value: CompletionValue) => string>> = {
  words: (value) => `compadd -- ${value.kind === 'words' ? value.words.map(shellQuoted).join(' ') : ''}`,
  file: () => '_files',
  free: () => ':',
};

function place(at: CompletionNode): string {
  const { value, commands, flags } = at;
  const rest = commands.length > 0 ? describe('command', commands) : replies[value.kind](value);
  return `    ${shellQuoted(key(at))})
      if [[ \${words[CURRENT]} == -* ]]; then ${describe('option', flags)}; else ${rest}; fi ;;`;
}

/** A colon ends the word in an entry of _describe. */
function describe(what: string, words: readonly Word[]): string {
  const entries = words.map(({ word, about }) => shellQuoted(`${word}:${about.replace(/[\\:]/g, '\\$&')}`));
  return `candidates=(${entries.join(' ')}); _describe -t ${what}s ${what} candidates`;
}
