import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'postject';
import { root } from '../bundle.ts';
import { bundleSingle } from './bundle.ts';

/** Node.js looks for this name, but only if this mark of its own executable says that there is something to find. */
const [NAME, FUSE] = ['NODE_SEA_BLOB', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];

const PAGE = 'src/demo/page';

/** Builds the single executable `file` from the Node.js of this process. Reports each step to `tell`. */
export async function buildSingle(file: string, tell: (line: string) => void): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-single-'));
  mkdirSync(dirname(file), { recursive: true });
  // A rename replaces a file even while it runs.
  const begun = `${file}.new`;
  try {
    tell('bundling sources and packages');
    await bundleSingle(scratch);
    tell('compiling');
    const blob = compile(scratch);
    tell(`adding them to a copy of ${process.execPath}`);
    copyFileSync(process.execPath, begun);
    chmodSync(begun, 0o755);
    await injectQuietly(begun, blob);
    const version = firstLineOf(begun);
    renameSync(begun, file);
    tell(`${file}: ${version}, ${Math.round(statSync(file).size / 1e6)} MB`);
  } finally {
    for (const path of [scratch, begun]) rmSync(path, { recursive: true, force: true });
  }
}

/** What Node.js finds in its executable: the script, its code cache, flags and files. */
function compile(scratch: string): Buffer {
  const settings = {
    // Stack traces name this path, so it must not be a path of this machine.
    main: 'gatehouse.js',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: imageFlags(),
    assets: {
      '/package.json': join(root, 'package.json'),
      '/dist/program/password-worker.js': join(scratch, 'password-worker.js'),
      ...Object.fromEntries(
        readdirSync(join(root, PAGE)).map((name) => [`/dist/program/page/${name}`, join(root, PAGE, name)]),
      ),
    },
  };
  writeFileSync(join(scratch, 'config.json'), JSON.stringify(settings));
  run(process.execPath, ['--experimental-sea-config', 'config.json'], scratch);
  return readFileSync(join(scratch, 'blob'));
}

/** The flags that Node.js gets in the image. */
function imageFlags(): readonly string[] {
  const [, entrypoint = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  return JSON.parse(entrypoint).filter((word: string) => word.startsWith('--'));
}

/** The library warns about each section of the executable that it cannot name. Node.js needs no name of a section. */
async function injectQuietly(file: string, blob: Buffer): Promise<void> {
  const { warn, error } = console;
  try {
    Object.assign(console, { warn: () => undefined, error: () => undefined });
    await inject(file, NAME, blob, { sentinelFuse: FUSE });
  } catch (error) {
    throw new Error(
      `${process.execPath} cannot become a single executable: ${(error as Error).message}. Use a Node.js from nodejs.org or from npm.`,
    );
  } finally {
    Object.assign(console, { warn, error });
  }
}

function firstLineOf(program: string): string {
  return run(program, ['--version']).split('\n')[0] ?? '';
}

function run(program: string, args: readonly string[], cwd?: string): string {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env, cwd });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `status ${status}\n${stderr}`}`);
  return stdout;
}
