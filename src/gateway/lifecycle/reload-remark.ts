import type { ReloadStats } from './reload.ts';

const WAITING =
  'a changed configuration waits: it opens something and was written in place; SIGHUP or POST /reload takes it';

/** What is to be known of a gateway that serves by an older file than the one on the disk. */
export function remarkOfReload({ waiting }: ReloadStats): string | undefined {
  return waiting ? WAITING : undefined;
}
