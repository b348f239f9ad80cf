// Runs the test files whose names come on descriptor 3, a line each, one after another in this process, and answers each name
// with a line: what each file would load for itself is loaded once. Each has a test of its own as its `t`, with its own time
// limit, jobs and teardown. `--pure`: a file that opens a socket or starts a process fails.
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { changesSince, processState } from './process-state.ts';
import { giveTest, testOf } from './test-of.ts';

const SCHEME = 'tap-of:';
/** Milliseconds, as `.taprc` has it for a file in a process of its own. */
const LIMIT = 30_000;

if (process.argv.includes('--pure')) await import('./guard.ts');

const tap = import.meta.resolve('tap');
/** A module of its own: this one is not done loading before the last file is. */
const registry = new URL('test-of.ts', import.meta.url).href;

registerHooks({
  resolve(name, context, next) {
    const { parentURL = '' } = context;
    if (name !== 'tap' || testOf(parentURL) === undefined) return next(name, context);
    return { url: `${SCHEME}${parentURL}`, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(SCHEME)) return next(url, context);
    return { source: tapFor(url.slice(SCHEME.length)), format: 'module', shortCircuit: true };
  },
});

function tapFor(file: string): string {
  const [test, real, of] = [registry, tap, file].map((each) => JSON.stringify(each));
  return `import { testOf } from ${test};\nexport * from ${real};\nexport default testOf(${of});\n`;
}

async function run(file: string): Promise<void> {
  const { href } = pathToFileURL(resolve(file));
  const before = processState();
  await t.test(file, async (own) => {
    own.setTimeout(LIMIT);
    giveTest(href, own);
    await import(href);
  });
  const changes = changesSince(before);
  if (changes.length > 0) t.fail(`${file} leaves its process changed: ${changes.join(', ')}`);
}

// Each file has its own limit.
t.setTimeout(0);
const asked = new Socket({ fd: 3 });
for await (const file of createInterface({ input: asked })) {
  await run(file);
  asked.write('done\n');
}
asked.destroy();
