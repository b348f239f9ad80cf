import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { StorageUnavailable } from '../../src/storage/engine/errors.ts';
import { openRecords } from '../../src/storage/open.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { basic, gateway, run, shop } from './running-service.ts';

t.test('T41: the management listener answers probes and scrapers, the public one does not', async (t) => {
  const service = await run(t);
  t.equal((await fetch(`${service.admin}/livez`)).status, 200);
  t.equal((await fetch(`${service.admin}/readyz`)).status, 200);
  await service.introspect(await service.token());
  await service.post('/oauth2/introspect', { token: 'x' }, basic(gateway));
  await service.post('/oauth2/token', {}, basic({ ...shop, secret: 'wrong' }));
  let metrics = '';
  const isCounted = async () => {
    metrics = await (await fetch(`${service.admin}/metrics`)).text();
    return metrics.includes('outcome="invalid_client"} 1');
  };
  t.ok(await until(isCounted));
  t.match(metrics, 'gatehouse_authorization_tokens_issued_total{grant_type="client_credentials",format="opaque"} 1');
  t.match(metrics, 'gatehouse_authorization_introspections_total{active="true"} 1');
  t.match(metrics, 'gatehouse_authorization_introspections_total{active="false"} 1');
  t.match(metrics, 'gatehouse_authorization_answers_total{endpoint="token",outcome="invalid_client"} 1');
  t.match(metrics, 'process_cpu_seconds_total');
  for (const path of ['livez', 'readyz', 'metrics']) t.equal((await fetch(`${service.url}/${path}`)).status, 404);
});

t.test('health can have its own listener, without admin', async (t) => {
  const { service, start, stop } = await unstarted(t);
  const urls = await start();
  t.teardown(stop);
  t.equal(urls.admin, undefined);
  t.equal((await fetch(`${urls.health}/readyz`)).status, 200);
  t.ok(service);
});

for (const [host, isShown] of [
  ['127.0.0.1', true],
  ['0.0.0.0', false],
] as const)
  t.test(`/readyz on ${host} ${isShown ? 'gives' : 'hides'} the cause of an unusable store`, async (t) => {
    const directory = temporaryFolder(t);
    const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:21432');
    const ping = () => Promise.reject(new StorageUnavailable('the store failed', { cause }));
    const port = await freePort();
    const config = { health: { host, port } };
    const service = await run(t, { directory, records: { ...records, ping }, config });
    const readyz = async (url: string) => (await fetch(`${url}/readyz`)).json();
    const answer = { status: 'not ready', reason: 'the store cannot be used' };
    const whole = { ...answer, cause: cause.message };
    t.strictSame(await readyz(`http://127.0.0.1:${port}`), isShown ? whole : answer);
    t.strictSame(await readyz(service.admin), whole, 'the admin listener always gives it');
  });

async function unstarted(t: import('tap').Test) {
  const { buildAuthorization } = await import('../../src/authorization/authorization.ts');
  const { buildLog } = await import('../../src/base/log.ts');
  const { configuration } = await import('./running-service.ts');
  const config = configuration({ health: { host: '127.0.0.1', port: 0 } });
  return buildAuthorization(config, {
    directory: temporaryFolder(t),
    log: buildLog({ level: 'silent', format: 'json' }),
  });
}
