import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const contenders = join(root, 'bench/contenders/');

const scripts = ['floor.mjs', 'http-proxy.mjs'] as const;
const configurations = ['nginx.conf', 'upstream.conf', 'apache.conf', 'haproxy.cfg', 'envoy.yaml'] as const;

/** Shows whether two reports used the same contenders. */
export function fingerprints(): Record<string, string> {
  return Object.fromEntries(
    [...scripts, ...configurations].map((name) => [name, createHash('sha256').update(read(name)).digest('hex')]),
  );
}

function read(name: string): string {
  return readFileSync(contenders + name, 'utf8');
}

/** The values of words in a configuration file, and the folder. */
type Words = Readonly<Partial<Record<(typeof configurations)[number], Readonly<Record<string, string>>>>>;

/** Copies of the configuration files, made for that folder. */
export function copyConfigurations(folder: string, words: Words): void {
  for (const name of configurations) {
    const all = Object.entries({ DIR: folder, ...words[name] });
    writeFileSync(
      join(folder, name),
      all.reduce((text, [word, value]) => text.replaceAll(word, value), read(name)),
    );
  }
}

/** A folder inside the repository, so that programs in it find their packages. */
export function folderWithPackages(): { readonly folder: string; readonly remove: () => void } {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function copyScripts(folder: string): void {
  for (const name of scripts) writeFileSync(join(folder, name), read(name));
}
