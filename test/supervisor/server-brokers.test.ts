import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { openServerBrokers } from '../../src/supervisor/server-brokers.ts';
import { until } from '../support/until.ts';

/** Milliseconds. */
const PATIENCE = 50;

function configOf(servers: object) {
  const upstreams = { api: { url: 'http://127.0.0.1:9' } };
  const routes = [{ match: { path: '/a' }, access: 'public', upstream: 'api' }];
  const file = { version: 1, development: true, upstreams, routes, authorization_servers: servers };
  const loaded = loadGatewayText(JSON.stringify(file), { file: 'gateway.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const followed = {
  issuer: 'http://127.0.0.1:9',
  audience: 'a',
  events: 'http://127.0.0.1:9/events',
  client_id: 'gateway',
  client_secret: 'a secret that nobody guesses, of 32 characters',
};

t.test('a broker that no file names stays as long as a worker listens to its feed', async (t) => {
  const log = buildLog({ level: 'silent', format: 'json' });
  const desks = openServerBrokers({ clock: systemClock, log, came: () => {}, patience: PATIENCE });
  t.teardown(() => desks.close());
  const { main = '' } = desks.open(configOf({ main: followed }), '/');
  const stop = desks.find(main)?.feed?.follow(() => {});
  desks.open(configOf({}), '/');
  await pause(PATIENCE * 6);
  t.ok(desks.find(main), 'followed');
  stop?.();
  t.ok(await until(() => desks.find(main) === undefined), 'left');
});
