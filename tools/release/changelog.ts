/** A section of CHANGELOG.md, in the form of Keep a Changelog. */
export interface Section {
  readonly version: string;
  /** `unreleased`, or the day as YYYY-MM-DD. */
  readonly date: string;
  readonly line: number;
  readonly body: string;
}

const HEADING = /^## \[([^\]]+)\] - (unreleased|\d{4}-\d{2}-\d{2})$/gm;

/** Newest first, as in the file. */
export function sectionsOf(changelog: string): readonly Section[] {
  const heads = [...changelog.matchAll(HEADING)];
  return heads.map(({ 0: head, 1: version = '', 2: date = '', index }, at) => ({
    version,
    date,
    line: changelog.slice(0, index).split('\n').length,
    body: changelog.slice(index + head.length, heads[at + 1]?.index).trim(),
  }));
}

/** Gives the unreleased section its version and its day. Throws if there is none. */
export function dated(changelog: string, version: string, day: string): string {
  const [newest] = sectionsOf(changelog);
  if (newest?.date !== 'unreleased')
    throw new Error('CHANGELOG.md has no section "## [VERSION] - unreleased" at its head: write what is new into one');
  return changelog.replace(`## [${newest.version}] - unreleased`, `## [${version}] - ${day}`);
}
