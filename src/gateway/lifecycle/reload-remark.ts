import type { ReloadStats } from './reload.ts';

const WAITING =
  'a changed configuration waits: it opens something and was written in place; SIGHUP or POST /reload takes it';

/** What the operator must know if the gateway serves by an older file than the one on disk. */
export function remarkOfReload({ waiting }: ReloadStats): string | undefined {
  return waiting ? WAITING : undefined;
}
