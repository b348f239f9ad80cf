import { readFileSync } from 'node:fs';

/** The image's options for Node.js. On a large machine, V8 would otherwise let 128 MiB of garbage collect. */
export const imageFlags = flagsOf(readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8'));

function flagsOf(dockerfile: string): readonly string[] {
  const entrypoint: readonly string[] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]');
  return entrypoint.filter((word) => word.startsWith('--'));
}
