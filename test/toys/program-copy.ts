import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A contributor's change to a file of the program: lines inserted after a line that occurs once. */
export interface Edit {
  readonly file: string;
  readonly behind: string;
  readonly add: string;
}

/** What a contributor adds to the program. */
export interface Addition {
  /** A new file, or a new folder: its source beside this file, and its destination. */
  readonly added?: { readonly from: string; readonly to: string };
  readonly edits: readonly Edit[];
}

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program with an addition, in a separate folder. */
export interface ProgramCopy {
  readonly directory: string;
  /** A module of it; its exports are those of the copied module. */
  load<Exports>(file: string): Promise<Exports>;
  /** `gatehouse …` */
  command(...args: readonly string[]): Promise<Ended>;
  /** The compiler's output; empty if all types match. */
  types(): Promise<Ended>;
}

const COPIED = ['src', 'tools', 'bin', 'config', 'docs', 'helm', 'package.json', 'tsconfig.json'];

/** Deleted after the test. */
export function copyProgram(t: Test, additions: readonly Addition[]): ProgramCopy {
  const directory = temporaryFolder(t);
  for (const name of COPIED) cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const { added, edits } of additions) {
    if (added !== undefined) place(added.from, join(directory, added.to));
    for (const edit of edits) apply(directory, edit);
  }
  const run = (script: string, ...args: readonly string[]) => ended(directory, [join(directory, script), ...args]);
  return {
    directory,
    load: (file) => import(join(directory, file)),
    command: (...args) => run('bin/gatehouse.js', ...args),
    types: () =>
      run('node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false', '--project', sourcesAlone(directory)),
  };
}

/** A file of `test/toys` imports `src` with another path than a file in `src`. */
function place(from: string, to: string): void {
  const source = fileURLToPath(new URL(from, import.meta.url));
  cpSync(source, to, { recursive: true });
  for (const file of globSync(from.endsWith('.ts') ? to : join(to, '*.ts')))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/'(?:\.\.\/){2,3}src\//g, "'../../"));
}

function apply(directory: string, { file, behind, add }: Edit): void {
  const path = join(directory, file);
  const [before = '', after, ...more] = readFileSync(path, 'utf8').split(`${behind}\n`);
  if (after === undefined || more.length > 0) throw new Error(`${file}: one line is to be \`${behind}\``);
  writeFileSync(path, `${before}${behind}\n${add}\n${after}`);
}

/** The compiler checks the sources of the copy, because an addition must match them. */
function sourcesAlone(directory: string): string {
  const file = join(directory, 'tsconfig.sources.json');
  writeFileSync(file, JSON.stringify({ extends: './tsconfig.json', include: ['src'] }));
  return file;
}

/** The runner adds its own options to NODE_OPTIONS at each start, and the compiler does not load with them. */
function ended(directory: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('env', ['-u', 'NODE_OPTIONS', process.execPath, ...args], { cwd: directory }, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : Number(error !== null);
      resolve({ status, stdout, stderr });
    });
  });
}
