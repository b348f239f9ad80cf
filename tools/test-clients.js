// `npm run test:clients`: the pages in a browser, and the clients of others: their libraries, programs and suites.
import { runSuite, timed } from './suite.ts';
import { clientTests } from './test-files.ts';

process.exitCode = (await timed('npm run test:clients', () => runSuite(clientTests()))) ? 0 : 1;
