// `npm run check`: types, style, and every test that opens no socket and starts no process. It needs only npm. The
// parts run at the same time. It prints the seconds of each part, and the whole output of a part that fails.
import { spawn } from 'node:child_process';
import { runPure } from './check/pure-processes.ts';
import { summary } from './report.ts';

/**
 * Each part is a shell command. Four checkers, the default, would each find most types again beside the tests. tsc
 * keeps what it found, and a later run checks only what changed.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  types: 'tsc --noEmit --checkers 1 --incremental --tsBuildInfoFile node_modules/.cache/gatehouse-types.json',
  lint: 'biome check .',
};

const begun = performance.now();
const seconds = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

/** The output of a part, and its exit status. */
function output(command: string): Promise<{ readonly status: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.on('close', (status) => resolve({ status, text: Buffer.concat(said).toString().trimEnd() }));
  });
}

function ended(name: string, ok: boolean): boolean {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} ${seconds()}`);
  return ok;
}

async function part(name: string, command: string): Promise<boolean> {
  const { status, text } = await output(command);
  if (status !== 0) console.log(text);
  return ended(name, status === 0);
}

const passed = await Promise.all([
  ...Object.entries(COMMANDS).map(([name, command]) => part(name, command)),
  runPure().then((ok) => ended('tests', ok)),
]);
const failed = [...Object.keys(COMMANDS), 'tests'].filter((_, index) => !passed[index]);
console.log(summary());
// The last line names what failed, because a long list of tests may separate the reader from it.
console.log(`npm run check: ${seconds()}${failed.length === 0 ? '' : `, FAILED: ${failed.join(', ')}`}`);
process.exitCode = failed.length === 0 ? 0 : 1;
