// `npm run check`: types, form, and every test that opens no socket and starts no process. It needs nothing but npm.
// What it checks runs at the same time; what failed is printed whole, and each part with its seconds.
import { spawn } from 'node:child_process';

/** A line for each: a shell command, in the order of printing. */
const PARTS: Readonly<Record<string, string>> = {
  types: 'tsc --noEmit',
  lint: 'biome check .',
  tests: 'node tools/check/run-pure.ts | node tools/reporter.js --one-process',
};

const begun = performance.now();
const seconds = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;

interface Ended {
  readonly status: number | null;
  readonly text: string;
  readonly took: string;
}

function run(command: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.on('close', (status) => resolve({ status, text: Buffer.concat(said).toString().trimEnd(), took: seconds() }));
  });
}

const results = await Promise.all(
  Object.entries(PARTS).map(async ([name, command]) => {
    const { status, text, took } = await run(command);
    console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} ${took}`);
    if (status !== 0 || name === 'tests') console.log(text);
    return status === 0;
  }),
);
console.log(`npm run check: ${seconds()}`);
process.exitCode = results.every(Boolean) ? 0 : 1;
