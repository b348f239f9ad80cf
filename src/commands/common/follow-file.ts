import type { Logger } from 'pino';
import { type WatchedFiles, watchFiles } from '../../base/watch-files.ts';
import type { Reload, ReloadCause } from '../../gateway/lifecycle/reload.ts';

export interface Followed {
  /** All files that the last load read. */
  readonly files: WatchedFiles;
  readonly reload: Reload;
  readonly log: Logger;
}

/** Reloads on SIGHUP, and when a file changes. The reload itself reports its result. */
export function followFile({ files, reload, log }: Followed): void {
  const because = (reason: string, cause: ReloadCause) => {
    log.info({ reason }, 'reloading the configuration');
    return reload(cause);
  };
  process.on('SIGHUP', () => void because('SIGHUP', 'asked'));
  watchFiles({ files, onChange: () => because('a file changed', 'change') });
}
