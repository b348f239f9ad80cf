import { spawnSync } from 'node:child_process';
import type { Test } from 'tap';
import { type Block, blocksOf } from './blocks.ts';
import { endForeground, enterAll } from './enter.ts';
import { nameOf, write } from './files.ts';
import { type Conditions, type Followed, type Handler, start } from './place.ts';
import { pattern } from './statements.ts';
import { complaints, settingsOf } from './units.ts';

/** The programs that every page may use. A page that needs more says so. */
const TOOLS = ['bash', 'curl', 'jq', 'openssl', 'python3'];

/** For `t.test(title, { skip }, …)`: false, or which programs are missing. */
export function skipWithout(...more: readonly string[]): false | string {
  const missing = [...TOOLS, ...more].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

const handlers: Readonly<Record<string, Handler>> = {
  sh: enterAll,
  text: expectOutput,
  yaml: writeFile,
  python: writeFile,
  ini: judgeUnit,
};

/**
 * Runs every block of the page, one after another, in a separate folder that looks like a checkout. Fails on an unknown
 * block.
 */
export async function follow(t: Test, page: string, conditions: Conditions = {}): Promise<Followed> {
  const followed = await start(t, conditions);
  const known: Readonly<Record<string, Handler>> = { ...handlers, ...conditions.more };
  for (const block of blocksOf(page)) {
    if (conditions.skips?.(block)) continue;
    if (/Ctrl-C/.test(block.prose)) await endForeground(followed);
    const handle = known[block.language];
    if (handle === undefined) throw new Error(`${block.place}: no test knows what to do with ${block.language}`);
    await handle(block, followed);
  }
  t.strictSame([...followed.unused], [], 'every file is used by a command of the page');
  return followed;
}

/** The last shell block printed this text. */
export function expectOutput({ text, place }: Block, { t, printed }: Followed): void {
  t.match(`${tidy(printed)}\n`, pattern(tidy(text)), `${place}: prints what the page shows`);
}

/** Empty lines and blanks at the end of a line do not matter. */
function tidy(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function writeFile(block: Block, { directory, unused, moved }: Followed): void {
  const named = nameOf(block);
  const before = unused.get(named.name);
  if (before !== undefined) throw new Error(`${before}: no command uses it before ${block.place} changes it`);
  write(directory, named, moved(block.text));
  unused.set(named.name, block.place);
}

function judgeUnit(block: Block, { t, directory }: Followed): void {
  const named = nameOf(block);
  t.ok(settingsOf(block.text).length > 0, `${block.place}: is a unit`);
  t.equal(complaints(named.name, block.text), '', `${block.place}: systemd has nothing against it`);
  write(directory, named, block.text);
}
