// `npm run test:shipped`: the parts that we ship beside the program, and other servers. It covers the chart, the
// container, the package, every page of the documentation as a reader follows it, paths as other servers read them, and
// additions by contributors.
import { runSuite, timed } from './suite.ts';
import { shippedTests } from './test-files.ts';

process.exitCode = (await timed('npm run test:shipped', () => runSuite(shippedTests()))) ? 0 : 1;
