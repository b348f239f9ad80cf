// `npm run test:shipped`: what is shipped beside the program, and its neighbors. The chart, the container, the package, every
// page of the documentation as a reader follows it, paths as other servers read them, and what a contributor may add.
import { runSuite, timed } from './suite.ts';
import { shippedTests } from './test-files.ts';

process.exitCode = (await timed('npm run test:shipped', () => runSuite(shippedTests()))) ? 0 : 1;
