import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { billOfMaterials } from '../sbom.ts';
import { packChart } from './chart.ts';
import { versionOf } from './check.ts';
import type { Names } from './names.ts';
import { notesOf } from './notes.ts';
import { packPackage } from './package.ts';

/** Makes everything of a release except the image in `to`, with the SHA256SUMS. Reports each file to `tell`. */
export function makeAssets(root: string, to: string, names: Names, tell: (line: string) => void): void {
  mkdirSync(to, { recursive: true });
  if (readdirSync(to).length > 0) throw new Error(`${to} is not empty: name another folder, or empty it`);
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  const own = (name: string) => ({ to, scratch: join(scratch, name) });
  try {
    const version = versionOf(root);
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    // The notes come first: they fail within milliseconds if the changelog lacks the version.
    const notes = notesOf(changelog, version, names);
    tell(packPackage(root, names, own('package')));
    tell(packChart(root, names, own('chart')));
    tell(written(to, `gatehouse-${version}.cdx.json`, billOfMaterials().text));
    tell(written(to, 'SHA256SUMS', sumsOf(to)));
    tell(written(to, 'notes.md', notes));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function written(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** In the form that `sha256sum --check` reads. */
function sumsOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  return lines.join('');
}
