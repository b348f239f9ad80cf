import { globSync } from 'node:fs';
import { inGroups } from './in-groups.ts';

/**
 * Runs the gateway's tests, or the ones that the command line names. A variable of the environment chooses a setting
 * for each gateway whose file does not set it. `otherwise`: the default of the variable. Returns the exit status.
 */
export function gatewayTests(variable: string, otherwise: string): number {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : globSync('test/{gateway,flows,advisories}/**/*.test.ts').sort();
  return inGroups(files, { [variable]: process.env[variable] || otherwise });
}
