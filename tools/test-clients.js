// `npm run test:clients`: the pages in a browser, and the clients of others: their libraries, programs and suites.
import { runSuite, timed } from './suite.ts';
import { clientTests } from './test-files.ts';

// A browser uses a core by itself.
const JOBS = 2;

process.exitCode = (await timed('npm run test:clients', () => runSuite(clientTests(), JOBS))) ? 0 : 1;
