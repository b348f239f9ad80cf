import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { loadGatewayText, type Problem } from '../../src/config/load/load.ts';
import { brokersForTrial } from '../../src/supervisor/brokers-for-trial.ts';
import { openServerBrokers } from '../../src/supervisor/server-brokers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { tlsFile } from '../support/tls-file.ts';
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

const problem: Problem = { severity: 'error', file: '', line: 0, column: 0, message: 'no' };
const server = { issuer: 'https://127.0.0.1:9', audience: 'a' };

function opened(t: Test) {
  const directory = temporaryFolder(t);
  const ca = join(directory, 'ca.pem');
  const change = (name: string) => copyFileSync(tlsFile(name), ca);
  change('authority.crt');
  const asked = { ...server, tls: { ca } };
  const active = configOf({ main: asked });
  const next = configOf({ main: { ...asked, audience: 'b' } });
  const log = buildLog({ level: 'silent', format: 'json' });
  const brokers = openServerBrokers({ clock: systemClock, log, came: () => {}, patience: PATIENCE });
  t.teardown(() => brokers.close());
  return { directory, change, brokers, config: next, active: brokers.open(active, directory) };
}

const outcomes: Readonly<Record<string, () => Promise<readonly Problem[]>>> = {
  'workers reject': async () => [problem],
  'fails to load': () => Promise.reject(new Error('no answer')),
};

for (const [outcome, prepare] of Object.entries(outcomes))
  t.test(`after a file that ${outcome}, the active brokers stay open, even if tls.ca has changed`, async (t) => {
    const { directory, change, brokers, config, active } = opened(t);
    change('client.crt');
    let next = '';
    const trial = brokersForTrial(brokers, { config, directory, active }, (desks) => {
      next = desks.main ?? '';
      return prepare();
    });
    await trial.catch(() => {});
    t.ok(await until(() => brokers.find(next) === undefined), 'the broker of the rejected file has ended');
    await pause(PATIENCE * 2);
    t.ok(brokers.find(active.main ?? ''), 'the active broker is open');
  });

t.test('after a file that workers accept, its brokers stay open, and the older ones end', async (t) => {
  const { directory, brokers, config, active } = opened(t);
  let next = '';
  await brokersForTrial(brokers, { config, directory, active }, async ({ main = '' }) => {
    next = main;
    return [];
  });
  t.ok(await until(() => brokers.find(active.main ?? '') === undefined));
  t.ok(brokers.find(next));
});
