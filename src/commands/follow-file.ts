import type { Logger } from 'pino';
import { type WatchedFiles, watchFiles } from '../base/watch-files.ts';
import type { Reloaded } from '../gateway/lifecycle/reload.ts';

export interface Followed {
  /** Every file that the last load looked at. */
  readonly files: WatchedFiles;
  readonly reload: () => Promise<Reloaded>;
  readonly log: Logger;
}

/** Reloads on SIGHUP, and when a file changes. What becomes of it is told by the reload itself. */
export function followFile({ files, reload, log }: Followed): void {
  const because = (reason: string) => {
    log.info({ reason }, 'reading the configuration anew');
    return reload();
  };
  process.on('SIGHUP', () => void because('SIGHUP'));
  watchFiles({ files, onChange: () => because('a file changed') });
}
