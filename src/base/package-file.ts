import { readFileSync } from 'node:fs';

interface PackageFile {
  readonly version: string;
  /** Such as `>=24.15`. */
  readonly engines: { readonly node: string };
}

/** package.json, which is at the same distance from the sources as from dist/. */
export function packageFile(): PackageFile {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFile;
}

/** The output of `--version`: a bug report needs both. */
export function versionLine(): string {
  return `gatehouse ${packageFile().version} (node ${process.version})`;
}
