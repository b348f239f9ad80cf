import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { changedPasses } from '../../../src/gateway/diff/changed-passes.ts';
import { gatewayBase } from '../../config/base-config.ts';

function file(own: readonly string[] | undefined, general: readonly string[] = []) {
  const base = gatewayBase();
  Object.assign(base.routes[0], { id: 'read', ...(own && { pass_headers: own }) });
  base.defaults.pass_headers = general;
  const loaded = loadGatewayText(JSON.stringify(base));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

t.test(
  'a header that names another path or method and now passes is reported; one that is dropped is not',
  async (t) => {
    const told = ['routes.read.pass_headers: now also X-Original-URL'];
    t.strictSame(changedPasses(file(undefined), file(['X-Original-URL'])), told);
    t.strictSame(changedPasses(file(undefined), file(undefined, ['X-Original-URL'])), told);
    t.strictSame(changedPasses(file(['X-Original-URL']), file([])), []);
    t.strictSame(changedPasses(file(['X-Original-URL']), file(undefined, ['X-Original-URL'])), []);
  },
);
