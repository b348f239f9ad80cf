// `biome check` of the files that differ from when they last passed: all files take 16 s of CPU, and Biome has no cache.
// Its rules read one file at a time, so an unchanged file still passes. A new Biome, or new rules, check all files again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-lint.json', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/** Path → hash of the content with which the file passed. */
type Passed = ReadonlyMap<string, string>;

function hash(...parts: readonly (string | Buffer)[]): string {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\0');
  return sum.digest('base64url');
}

/** The files that git has or would add. Undefined without git or its folder. */
function files(): readonly string[] | undefined {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return status === 0 ? stdout.split('\0').filter((name) => isFile(name)) : undefined;
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() === true;
}

function passed(): Passed {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(cache, 'utf8'))));
  } catch {
    return new Map();
  }
}

function biome(...names: readonly string[]): boolean {
  const launcher = resolve('@biomejs/biome/bin/biome');
  const args = [launcher, 'check', '--no-errors-on-unmatched', '--files-ignore-unknown=true', ...names];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

function lint(): boolean {
  const all = files();
  if (all === undefined) return biome('.');
  const rules = hash(readFileSync('biome.json'), readFileSync(resolve('@biomejs/biome/package.json')));
  const now = new Map(all.map((name) => [name, hash(rules, readFileSync(name))]));
  const before = passed();
  const changed = all.filter((name) => before.get(name) !== now.get(name));
  console.log(`${changed.length} of ${all.length} files are new or changed`);
  if (changed.length > 0 && !biome(...changed)) return false;
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(cache, JSON.stringify(Object.fromEntries(now)));
  return true;
}

process.exitCode = lint() ? 0 : 1;
