// `npm test [-- file …]`: tap with our reporter.
import { tap } from './tap.js';

tap(process.argv.slice(2));
