import type { ReloadStats } from './reload.ts';

const WAITING =
  'a changed configuration waits: it may allow more access, and was written in place; load it by SIGHUP or POST /reload';

/** What the operator must know if the active configuration is older than the file on disk. */
export function remarkOfReload({ waiting }: ReloadStats): string | undefined {
  return waiting ? WAITING : undefined;
}
