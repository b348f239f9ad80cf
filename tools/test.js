// `npm test [-- file …]`: tap with our reporter.
import { tap } from './tap.js';

process.exitCode = tap(process.argv.slice(2));
