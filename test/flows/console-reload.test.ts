import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { passwordHash } from '../authorization/running-service.ts';
import { withChosen } from '../support/chosen.ts';
import { behind } from '../support/gateway.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { reloadable } from '../support/reloadable.ts';
import { type ServedFile, servedFile, writeIn } from '../support/served-file.ts';
import { until } from '../support/until.ts';
import { userFile } from '../support/user-files.ts';
import { browser, guardedFile, logIn, openStream, runService, statusOf } from './operators.ts';

/** Starts programs, and opens services: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('a session survives a reload, and ends if its authorization server has other settings', async (t) => {
  const service = await runService(t);
  const file = (main: object = {}) => behind('http://127.0.0.1:9', guardedFile(service, {}, {}, main));
  const gateway = await reloadable(t, file());
  const admin = gateway.adminUrl ?? '';
  const tabs = browser({ admin }, service);
  await logIn(tabs);
  const stream = await openStream(t, tabs, admin);
  t.match(await gateway.take({ ...file(), realm: 'other' }), { ok: true });
  t.equal(await statusOf(tabs), 200);
  t.match(await gateway.take(file({ clock_skew: '31s' })), { ok: true });
  await stream.ended;
  t.equal(await statusOf(tabs), 401);
  await logIn(tabs);
  t.equal(await statusOf(tabs), 200);
  t.match(await gateway.take(file({ clock_skew: '32s' })), { ok: true });
  t.equal(await statusOf(tabs), 401, 'as after the first change');
});

t.test('a reload cannot open the listener, and reports that a stricter rule needs a restart', async (t) => {
  const service = await runService(t);
  const file = behind('http://127.0.0.1:9', guardedFile(service));
  const gateway = await reloadable(t, file);
  const tabs = browser({ admin: gateway.adminUrl ?? '' }, service);
  t.match(await gateway.take({ ...file, admin: '127.0.0.1:0' }), { ok: true, restart: ['admin'] });
  t.equal(await statusOf(tabs), 401);
  const stricter = behind('http://127.0.0.1:9', guardedFile(service, {}, { users: ['bob'] }));
  t.match(await gateway.take(stricter), { ok: false, problems: [{ message: /rules for operators/ }] });
});

interface OperatorsFile {
  readonly admin?: object;
  readonly login?: object;
}

/** `gatehouse gateway` with two workers. */
function workers(t: Test, { admin, ...file }: OperatorsFile): Promise<ServedFile> {
  return servedFile(t, (directory, listeners) => {
    const protectedBy = (_line: string, listen: string) => stringify({ admin: { ...admin, listen } }).trimEnd();
    const head = listeners.replace(/^admin: (\S+)$/m, protectedBy);
    const body = stringify(withChosen(behind('http://127.0.0.1:9', file)));
    writeIn(directory, 'gateway.yaml', `${head}workers: 2\n${body}`);
  });
}

t.test('with workers, the primary has the sessions, and a revocation ends them within a second', async (t) => {
  const { measure } = await lateness(t);
  const service = await runService(t);
  const served = await workers(t, guardedFile(service));
  const tabs = browser({ admin: served.adminUrl }, service);
  t.equal((await logIn(tabs)).status, 200);
  const stream = await openStream(t, tabs, served.adminUrl);
  t.equal(stream.status, 200);
  t.ok(await until(async () => (await statusOf(tabs)) === 200));
  const csrf = (await tabs.service.get('/oauth2/account')).field('csrf');
  await tabs.service.post('/oauth2/account/disconnect', { csrf, client_id: 'console' });
  const figures = await measure(() => Promise.all([stream.ended, until(async () => (await statusOf(tabs)) === 401)]));
  t.equal(await statusOf(tabs), 401);
  inTime(t, 'the session ends within a second', 1_000, figures);
});

t.test('with workers, the primary judges the passwords of operators, and limits wrong ones', async (t) => {
  const users = userFile(t, `alice:${passwordHash('wonderland')}\n`);
  const login = { max_failures: 2, window: '15m' };
  const { adminUrl } = await workers(t, { admin: { access: { basic: { users } } }, login });
  const ask = async (password: string) =>
    (await fetch(`${adminUrl}/routes`, { headers: { authorization: formatBasic('alice', password) } })).status;
  t.strictSame([await ask('wonderland'), await ask('a'), await ask('b'), await ask('c')], [200, 401, 401, 429]);
});
