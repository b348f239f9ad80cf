import { readFileSync } from 'node:fs';

/** What Node.js is told in the image: on a large machine V8 lets 128 MiB of what nobody needs any more gather. */
export const imageFlags = flagsOf(readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8'));

function flagsOf(dockerfile: string): readonly string[] {
  const entrypoint: readonly string[] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]');
  return entrypoint.filter((word) => word.startsWith('--'));
}
