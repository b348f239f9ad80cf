// `npm run test:peers [-- file …]`: test/peers, against programs that take minutes to build. They are kept in
// node_modules/.cache/gatehouse-peers. `.ci/run` does not run these tests; docs/promises.md has the last result and its
// date.
import { globSync } from 'node:fs';
import { installPeers } from './peers/install.ts';
import { tap } from './tap.ts';

const given = process.argv.slice(2);
installPeers(['envoy-1.40.0', 'istio-validation-1.31', 'traefik-3.7.13', 'egctl-1.9.1']);
process.exitCode = tap([
  '--jobs=1',
  '--timeout=900',
  ...(given.length > 0 ? given : globSync('test/peers/**/*.test.ts').sort()),
]);
