import { spawnSync } from 'node:child_process';

/** Whether the tool of that name can be run here; what it shows is shown without it too. */
export const isInstalled = spawnSync('slowhttptest', ['-h'], { stdio: 'ignore' }).error === undefined;
