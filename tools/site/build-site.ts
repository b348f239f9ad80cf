import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { siteFaults } from './check-site.ts';
import { installGenerator } from './install.ts';
import { place } from './place.ts';
import { type Settings, stage } from './stage.ts';

/** Builds the site and checks it. Throws with what is wrong: the generator's message, or a line for each bad link. */
export function buildSite(settings: Settings): void {
  installGenerator();
  stage(settings);
  run('vitepress/bin/vitepress.js', ['build']);
  const faults = siteFaults(settings.outDir, settings.base);
  if (faults.length > 0) throw new Error(`${faults.length} links of the site lead nowhere:\n${faults.join('\n')}`);
}

/** A program of the generator, and its arguments: serves the last built site until it is stopped. */
export function server(port: number): readonly [string, readonly string[]] {
  return ['vite/bin/vite.js', ['preview', '--config', '.vitepress/preview.config.js', '--port', String(port)]];
}

/** Runs a program of the generator to its end. Throws if it fails. */
export function run(program: string, args: readonly string[]): void {
  const words = [join(place, 'node_modules', program), ...args];
  const { status } = spawnSync(process.execPath, words, { cwd: place, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args[0]}: exit status ${status}. Its message above says why.`);
}
