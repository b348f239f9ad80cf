/** A stage of a Dockerfile: its base image and its instructions, in order. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  /** The platform on which its programs run: `--platform` of FROM. */
  readonly platform: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Instruction {
  readonly line: number;
  readonly word: string;
  /** Flags such as `--from=build`. */
  readonly flags: Readonly<Record<string, string>>;
  /** The list's entries in the exec form, otherwise words; the whole line for RUN and similar instructions. */
  readonly args: readonly string[];
  readonly isExec: boolean;
}

/** The supported instructions. A Dockerfile with another instruction is rejected as a whole. */
const known = new Set('ARG FROM RUN COPY WORKDIR ENV USER LABEL VOLUME EXPOSE ENTRYPOINT CMD HEALTHCHECK'.split(' '));

/** Every builder sets these. */
const builtIn = { BUILDPLATFORM: 'build', TARGETPLATFORM: 'target' };

/** `args`: build arguments, which replace the defaults in the file. Throws with the line that it cannot read. */
export function parseDockerfile(text: string, args: Readonly<Record<string, string>> = {}): readonly Stage[] {
  const outer: Record<string, string> = { ...builtIn };
  const stages: (Stage & { instructions: Instruction[]; scope: Record<string, string> })[] = [];
  for (const { line, words } of logicalLines(text)) {
    const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(words) ?? [];
    if (!known.has(word)) throw new Error(`Dockerfile:${line}: ${word} is not understood here`);
    const stage = stages.at(-1);
    if (word === 'FROM') {
      const [, platform, named = ''] = /^(?:--platform=(\S+)\s+)?(.*)$/.exec(filled(rest, outer, line)) ?? [];
      const [from = '', , name = String(stages.length)] = named.split(/\s+/);
      stages.push({ name, from, platform, instructions: [], scope: {} });
    } else if (word === 'ARG') {
      const [name = '', otherwise = outer[rest] ?? ''] = rest.split('=');
      (stage?.scope ?? outer)[name] = args[name] ?? otherwise;
    } else if (stage === undefined) throw new Error(`Dockerfile:${line}: ${word} before FROM`);
    else stage.instructions.push(instruction({ line, word, rest: filled(rest, stage.scope, line) }));
  }
  return stages.map(({ scope: _, ...stage }) => stage);
}

function instruction({ line, word, rest }: { line: number; word: string; rest: string }): Instruction {
  const [, leading = '', told = ''] = /^((?:--[a-z-]+=\S+\s+)*)(.*)$/s.exec(rest) ?? [];
  if (word === 'RUN' && leading !== '') throw new Error(`Dockerfile:${line}: flags of RUN are not understood here`);
  const flags = Object.fromEntries([...leading.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  const list = told.replace(/^CMD\s+/, '');
  if (list.startsWith('[')) return { line, word, flags, args: JSON.parse(list), isExec: true };
  return { line, word, flags, args: word === 'RUN' || word === 'LABEL' ? [told] : told.split(/\s+/), isExec: false };
}

function* logicalLines(text: string): Generator<{ line: number; words: string }> {
  let words = '';
  let first = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(raw)) continue;
    if (words === '') first = index + 1;
    words += raw.replace(/\\$/, '');
    if (raw.endsWith('\\')) continue;
    yield { line: first, words: words.trim() };
    words = '';
  }
}

function filled(text: string, scope: Readonly<Record<string, string>>, line: number): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name) => {
    const value = scope[name];
    if (value === undefined) throw new Error(`Dockerfile:${line}: no ARG ${name} before this`);
    return value;
  });
}

/** Labels of a LABEL instruction. */
export function labelsOf({ args: [text = ''] }: Instruction): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}
