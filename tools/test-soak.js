// `npm run test:soak`: an hour of mixed load (SOAK_MINUTES), with `listener: auto` (GATEHOUSE_LISTENER). `.ci/run` does
// not run it; docs/promises.md has the last result and its date.
import { tap } from './tap.ts';
import { withProgram } from './tested-program.ts';

process.exitCode = await withProgram(() => tap(['--jobs=1', '--timeout=36000', 'test/soak/mixed-load.test.ts']));
