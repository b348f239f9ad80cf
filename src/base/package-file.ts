import { readOwnFile } from './own-files.ts';

interface PackageFile {
  readonly version: string;
  /** For example `>=24.15`. */
  readonly engines: { readonly node: string };
}

/** package.json. Its relative path is the same from src/ and from dist/. */
export function packageFile(): PackageFile {
  return JSON.parse(readOwnFile(new URL('../../package.json', import.meta.url)).toString()) as PackageFile;
}

/** The output of `--version`. A bug report needs both versions. */
export function versionLine(): string {
  return `gatehouse ${packageFile().version} (node ${process.version})`;
}
