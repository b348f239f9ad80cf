import { pinned } from './cores.ts';

const { file, args } = pinned({ file: 'wrk', args: [], ports: [] }, 'load');

/** The command that runs wrk on the core of the load. */
export const generator: readonly string[] = [file, ...args];
