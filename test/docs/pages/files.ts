import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Block } from './blocks.ts';

/** The first comment of a block: `# NAME` is the head of a whole file, and `# NAME: a.b` of a change below a.b. */
const HEAD = /^# (\/?[\w./-]+\.(?:yaml|yml|py|service|conf))(?:: ([a-z_0-9.]+))?\n/;

export interface Named {
  readonly name: string;
  readonly path: string | undefined;
}

export function nameOf({ text, place }: Block): Named {
  const [, name, path] = HEAD.exec(text) ?? [];
  if (name === undefined) throw new Error(`${place}: its first line does not say which file it is`);
  return { name, path };
}

/** Writes the file in a block, as its reader would. */
export function write(directory: string, { name, path }: Named, text: string): void {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, path === undefined ? text : stringify(changed(file, path.split('.'), parse(text))));
}

// biome-ignore lint/suspicious/noExplicitAny: a configuration file before it is judged
function changed(file: string, path: readonly string[], change: object): any {
  if (!existsSync(file)) throw new Error(`${file}: no block before this one shows it whole`);
  const whole = parse(readFileSync(file, 'utf8'));
  let place = whole;
  for (const name of path) place = place[name] ??= {};
  Object.assign(place, change);
  return whole;
}
