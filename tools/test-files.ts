import { globSync } from 'node:fs';
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

/** What `npm test` runs in addition to the pure tests. */
export function socketTests(): readonly string[] {
  return openingTests().filter((file) => !isIn([...SHIPPED, ...OWN], file));
}
