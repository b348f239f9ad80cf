import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { sentGeneration } from '../../src/supervisor/sent-generation.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';

t.test('workers get files of users and API keys up to the allowed size, and nothing of a larger one', async (t) => {
  const directory = t.testdir();
  const routes = ['small', 'large'].map((name) => ({
    id: name,
    match: { path: `/${name}` },
    access: 'authenticated',
    basic: { realm: 'a', users: name },
  }));
  const loaded = loadGatewayText(gatewayYaml(behind('http://127.0.0.1:9')), { env: {} });
  if (!loaded.ok) return t.fail(JSON.stringify(loaded.problems));
  writeFileSync(join(directory, 'small'), 'a:b\n');
  writeFileSync(join(directory, 'keys'), 'a b c\n');
  writeFileSync(join(directory, 'large'), '');
  // It grew since it was checked.
  truncateSync(join(directory, 'large'), 65 * 1024 * 1024);
  const withKeys = { id: 'keys', match: { path: '/keys' }, access: 'authenticated', api_key: { keys: 'keys' } };
  const config = { ...loaded.config, routes: [...routes, withKeys] as unknown as typeof loaded.config.routes };
  const { contents } = sentGeneration(config, {
    version: 1,
    workers: 2,
    directory,
    locate: undefined,
    desks: {} as never,
  });
  t.strictSame(
    Object.keys(contents),
    ['small', 'keys'].map((name) => join(directory, name)),
  );
});
