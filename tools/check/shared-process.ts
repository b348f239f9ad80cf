// Runs test files one after another in this process, so that modules load only once. Descriptor 3 gives the names, one
// a line; the answer to each is a line. Each file gets a test of its own as its `t`, with its own time limit, jobs and
// teardown. With `--pure`, a file that opens a socket or starts a process fails.
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { givePatience, LIMIT } from '../tap/patience.ts';
import { oneWriteATurn } from './one-write-a-turn.ts';
import { OpenResources } from './open-resources.ts';
import { changesSince, processState } from './process-state.ts';
import { giveTest, testOf } from './test-of.ts';

const SCHEME = 'tap-of:';
/** Milliseconds after the last file. The parent waits longer than this. */
const STILL_OPEN = 8_000;

oneWriteATurn(process.stdout);
if (process.argv.includes('--pure')) await import('./guard.ts');

const tap = import.meta.resolve('tap');
/** In a separate module, because this one does not finish loading before the last file has run. */
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
    givePatience(own);
    giveTest(href, own);
    await import(href);
  });
  const changes = changesSince(before);
  if (changes.length > 0) t.fail(`${file} leaves its process changed: ${changes.join(', ')}`);
}

// Each file has its own limit.
t.setTimeout(0);
const opened = new OpenResources();
const asked = new Socket({ fd: 3 });
for await (const file of createInterface({ input: asked })) {
  await run(file);
  opened.note(file, process.getActiveResourcesInfo());
  asked.write('done\n');
}
asked.destroy();
// Something may keep this process alive, and then its parent ends it. This names what it is, and its file.
setTimeout(() => {
  const left = opened.blame(process.getActiveResourcesInfo());
  process.stderr.write(`left open: ${left.join('; ') || 'nothing'}\n`);
}, STILL_OPEN).unref();
