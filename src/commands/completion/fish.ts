import { key } from './by-case.ts';
import { quotedForFish } from './quote.ts';
import type { CompletionNode, CompletionValue, Flag, Word } from './tree.ts';

/** One line for each word. fish loads the script on demand. */
export function fishScript(places: readonly CompletionNode[]): string {
  return `# fish completion of gatehouse: gatehouse completion fish
function __gatehouse_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${places.flatMap(steps).join(' ')}
        set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
complete -c gatehouse -f
${places.flatMap(lines).join('\n')}
`;
}

function steps(place: CompletionNode): readonly string[] {
  return place.commands.map(({ word }) => quotedForFish(`${key(place)} ${word}`));
}

function lines(place: CompletionNode): readonly string[] {
  const at = `complete -c gatehouse -n ${quotedForFish(`__gatehouse_at ${quotedForFish(key(place))}`)}`;
  return [
    ...place.commands.map((each) => `${at} -a ${quotedForFish(each.word)} ${about(each)}`),
    ...argument(place.value).map((rest) => `${at} ${rest}`),
    ...place.flags.map((flag) => `${at} ${name(flag)}${value(flag)} ${about(flag)}`),
  ];
}

function about({ about: text }: Word): string {
  return `-d ${quotedForFish(text)}`;
}

function name({ word }: Word): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
}

const argumentLines: Readonly<Record<CompletionValue['kind'], (value: CompletionValue) => readonly string[]>> = {
  words: (of) => (of.kind === 'words' ? [`-a ${quotedForFish(of.words.join(' '))}`] : []),
  file: () => ['-F'],
  free: () => [],
};

function argument(of: CompletionValue): readonly string[] {
  return argumentLines[of.kind](of);
}

function value({ value: of }: Flag): string {
  if (of === undefined) return '';
  // If the command takes files as arguments, only -x keeps files out of this list.
  return ` ${of.kind === 'file' ? '-r' : '-x'} ${argument(of).join(' ')}`;
}
