// The first module of the single executable: runs `gatehouse`, or a program that another process of the executable asks for.
import { EXIT } from '../../src/base/this-program.ts';

/** The first argument, if it is no command, → what runs instead. */
const programs = new Map<string, (argument: string) => unknown>([
  [new URL('worker-main.js', import.meta.url).href, () => import('../../src/supervisor/worker-main.ts')],
  [EXIT, (status) => process.exit(Number(status))],
]);

/** As in bin/gatehouse.js: without a listener, the signal would end the process. */
process.on('SIGUSR1', () => {});

// Node.js repeats the name here that the caller used. Everywhere else it is the path of the script.
process.argv[1] = process.execPath;

const [, , first = '', second = ''] = process.argv;
const program = programs.get(first) ?? (async () => (await import('../../src/cli.ts')).main(process.argv.slice(2)));
void program(second);
