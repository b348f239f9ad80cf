import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, and the folder of this tool. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url));
export const tool: string = join(root, 'tools/site');

/** Where the generator is installed. It has 126 packages, which `npm ci` does not install. */
export const place: string = join(root, 'node_modules/.cache/gatehouse-site');

/** Shows that the install completed. It contains the lock file that was installed. */
export const stamp: string = join(place, 'installed.json');

/** For `t.test(title, { skip: skipWithoutSite }, …)`. */
export const skipWithoutSite: false | string = existsSync(stamp)
  ? false
  : 'the generator of the documentation site is not installed: npm run docs';
