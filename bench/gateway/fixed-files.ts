import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shared = join(root, '../shared/bench/');

const scripts = ['floor.mjs', 'http-proxy.mjs'] as const;
const configurations = ['nginx.conf', 'upstream.conf', 'apache.conf'] as const;

export function areFixedFilesHere(): boolean {
  return existsSync(shared);
}

/** So that two reports can be told to be about the same contenders. */
export function fingerprints(): Record<string, string> {
  return Object.fromEntries(
    [...scripts, ...configurations].map((name) => [name, createHash('sha256').update(read(name)).digest('hex')]),
  );
}

function read(name: string): string {
  return readFileSync(shared + name, 'utf8');
}

/** Copies of the configuration files, made for that folder. */
export function copyConfigurations(folder: string): void {
  for (const name of configurations) writeFileSync(join(folder, name), read(name).replaceAll('DIR', folder));
}

/** A folder inside the repository, so that what runs there finds its packages. */
export function folderWithPackages(): { readonly folder: string; readonly remove: () => void } {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function copyScripts(folder: string): void {
  for (const name of scripts) writeFileSync(join(folder, name), read(name));
}
