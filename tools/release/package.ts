import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { withWorkingLinks } from './links.ts';
import type { Names } from './names.ts';
import { run } from './run.ts';

/**
 * Packs the npm package into `to`. The package names the repository that publishes it, because npm compares that with
 * the provenance. Links to files outside the package lead to the repository. `scratch`: an empty folder. Returns the
 * file's path.
 */
export function packPackage(root: string, names: Names, { to, scratch }: { to: string; scratch: string }): string {
  const plain = pack(root, scratch, []);
  run('tar', ['-xzf', plain, '-C', scratch], root);
  const folder = join(scratch, 'package');
  const { version } = nameRepository(join(folder, 'package.json'), names);
  const isHere = (path: string) => existsSync(join(folder, path));
  for (const name of globSync('**/*.md', { cwd: folder })) {
    const file = join(folder, name);
    const at = { file: name.replaceAll(sep, '/'), version, names, isHere };
    writeFileSync(file, withWorkingLinks(readFileSync(file, 'utf8'), at));
  }
  return pack(folder, to, ['--ignore-scripts']);
}

function nameRepository(file: string, { home }: Names): { readonly version: string } {
  const repository = { type: 'git', url: `git+${home}.git` };
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), homepage: home, bugs: `${home}/issues`, repository };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function pack(folder: string, to: string, flags: readonly string[]): string {
  mkdirSync(to, { recursive: true });
  const printed = run('npm', ['pack', '--json', '--silent', '--pack-destination', to, ...flags], folder);
  return join(to, JSON.parse(printed)[0].filename);
}
