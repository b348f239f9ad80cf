import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { allImports } from './check/import-graph.ts';
import { pureTests } from './check/pure.ts';

/** Folders of test/ for the parts that we ship beside the program, and for other servers: `npm run test:shipped`. */
const SHIPPED: readonly string[] = ['deploy', 'docs', 'envoy', 'mutation', 'oracles', 'toys'];
/** Folders whose tests have their own commands, which choose the files themselves. */
const OWN: readonly string[] = ['faults', 'peers', 'soak'];

function isIn(folders: readonly string[], file: string): boolean {
  return folders.includes(file.split(/[\\/]/)[1] ?? '');
}

/** Every test that opens a socket or starts a process, in order. */
function openingTests(): readonly string[] {
  const pure = new Set(pureTests());
  return globSync('test/**/*.test.ts')
    .sort()
    .filter((file) => !pure.has(file));
}

export function shippedTests(): readonly string[] {
  return openingTests().filter((file) => isIn(SHIPPED, file));
}

/** Tests over sockets of the program itself. */
function programTests(): readonly string[] {
  return openingTests().filter((file) => !isIn([...SHIPPED, ...OWN], file));
}

/** Programs of others in place of our own test clients: browsers, libraries, and their own suites. */
function hasForeignClient(file: string): boolean {
  if (FOREIGN.test(file)) return true;
  return allImports(file).some(({ to }) => to === BROWSER);
}

const FOREIGN = /^test[\\/]flows[\\/](?:.*[\\/])?(?:clients[\\/]|conformance\.)/;
const BROWSER = resolve('test/support/browser.ts');

/** `npm run test:clients`. */
export function clientTests(): readonly string[] {
  return programTests().filter(hasForeignClient);
}

/** What `npm test` runs in addition to the pure tests. */
export function socketTests(): readonly string[] {
  return programTests().filter((file) => !hasForeignClient(file));
}
