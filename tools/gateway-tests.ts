import { globSync } from 'node:fs';
import { inGroups } from './in-groups.ts';

/**
 * The tests of the gateway, or those that the command line names, with what a variable of the environment chooses for each
 * gateway whose file does not say it. `otherwise`: its value if it is not set. Its exit status.
 */
export function gatewayTests(variable: string, otherwise: string): number {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : globSync('test/{gateway,flows,advisories}/**/*.test.ts').sort();
  return inGroups(files, { [variable]: process.env[variable] || otherwise });
}
