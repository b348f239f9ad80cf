import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { changedEndings } from '../../../src/gateway/diff/changed-endings.ts';
import { gatewayBase } from '../../config/base-config.ts';

function file(end_with: string) {
  const base = gatewayBase();
  Object.assign(base.routes[0], { id: 'live', end_with });
  const loaded = loadGatewayText(JSON.stringify(base));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

t.test('a stream that no longer ends with its token is reported; one that now does is not', async (t) => {
  t.strictSame(changedEndings(file('token'), file('request')), ['routes.live.end_with: was token, now request']);
  t.strictSame(changedEndings(file('request'), file('token')), []);
  t.strictSame(changedEndings(file('token'), file('token')), []);
});
