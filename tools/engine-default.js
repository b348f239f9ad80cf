// Loaded before anything else (`node --import`): upstreams whose file says no `engine` get the one of GATEHOUSE_ENGINE.
// The programs know nothing of it; what the tests start as processes of their own inherits it.
import { existsSync } from 'node:fs';
import * as module from 'node:module';

const engine = process.env.GATEHOUSE_ENGINE ?? '';
const FILE = '/src/config/schema/upstream.ts';
const DECLARED = /(engine: oneOf\(\s*engines,\s*)'undici'/;

if (!existsSync(new URL(`..${FILE}`, import.meta.url)))
  throw new Error(`${FILE}, which declares \`engine\`, is not there`);

// An older Node.js only looks for a newer one, which inherits the variable.
module.registerHooks?.({
  load(url, context, next) {
    const loaded = next(url, context);
    return url.endsWith(FILE) ? { ...loaded, source: changed(String(loaded.source)) } : loaded;
  },
});

/** @param {string} source */
function changed(source) {
  if (!DECLARED.test(source)) throw new Error('the default of `engine` is not declared where it was');
  return source.replace(DECLARED, `$1'${engine}'`);
}
