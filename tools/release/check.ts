import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionsOf } from './changelog.ts';
import { placesIn } from './places.ts';

/** The form of a tag's name. */
const TAG = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;

/** The version of package.json, which all other places must repeat. */
export function versionOf(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** What blocks a release, one line each, with the file, the line and the remedy. `tag`: of the commit to release. */
export function mistakesOf(root: string, tag?: string): readonly string[] {
  const version = versionOf(root);
  const wrong = placesIn(root).filter(({ found }) => found !== version);
  return [
    ...wrong.map(
      ({ file, line, found }) =>
        `${file}:${line}: version ${found}, but package.json has ${version}: ${remedy(version)}`,
    ),
    ...(tag === undefined ? [] : [...mistakesOfTag(tag, version), ...mistakesOfChangelog(root, version)]),
  ];
}

function mistakesOfTag(tag: string, version: string): readonly string[] {
  const [, named] = TAG.exec(tag) ?? [];
  if (named === undefined) return [`tag ${JSON.stringify(tag)}: expected vMAJOR.MINOR.PATCH, such as v${version}`];
  return named === version
    ? []
    : [`tag ${tag}: package.json has ${version}: ${remedy(named)}, commit, and set the tag again`];
}

function mistakesOfChangelog(root: string, version: string): readonly string[] {
  const [newest] = sectionsOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  if (newest === undefined) return ['CHANGELOG.md: no section "## [VERSION] - DATE"'];
  const at = `CHANGELOG.md:${newest.line}`;
  if (newest.version !== version)
    return [`${at}: the newest section is ${newest.version}, but package.json has ${version}`];
  if (newest.date === 'unreleased') return [`${at}: ${version} is still unreleased: ${remedy(version)}`];
  return newest.body === '' ? [`${at}: the section is empty: write what is new`] : [];
}

function remedy(version: string): string {
  return `run \`npm run release -- prepare ${version}\``;
}
