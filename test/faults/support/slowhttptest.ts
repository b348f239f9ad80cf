import { spawnSync } from 'node:child_process';

/** Whether this tool is installed. Other tests show the same without it. */
export const isInstalled = spawnSync('slowhttptest', ['-h'], { stdio: 'ignore' }).error === undefined;
