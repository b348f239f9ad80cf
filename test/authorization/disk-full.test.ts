import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { basic, requests, shop } from './running-service.ts';
import { ready, spawnService, writeConfig } from './service-process.ts';

const grant = { grant_type: 'client_credentials' };
const skip = process.platform === 'win32' && 'Windows has no file size limit for a process';

/**
 * What the test runner adds to every process by NODE_OPTIONS does not ignore the signal of the limit. The cache of
 * compiled modules belongs to all tests.
 */
const alone = 'unset NODE_OPTIONS NODE_COMPILE_CACHE';

t.test(
  'on a full disk tokens are 503 and answered ones stay valid; with space again the service recovers by itself',
  { skip },
  async (t) => {
    const config = writeConfig(temporaryFolder(t), { extra: 'admin: 127.0.0.1:0' });
    // A file size limit acts like a full disk for one process. Node.js ignores the signal, so writes fail instead.
    const service = spawnService(t, config, { shell: `${alone}; ulimit -S -f 700` });
    const url = await ready(service);
    const admin = /"admin":"([^"]+)"/.exec(service.stdout())?.[1];
    const { post, token, introspect } = requests(url);
    const first = await token();
    const issued: string[] = [];
    let refused: Response | undefined;
    while (refused === undefined && issued.length < 10_000) {
      const response = await post('/oauth2/token', grant, basic(shop));
      if (response.status === 200) issued.push(((await response.json()) as { access_token: string }).access_token);
      else refused = response;
    }
    t.equal(refused?.status, 503);
    t.match(refused?.headers.get('retry-after'), /^[1-9]/);
    t.match(await refused?.json(), { error: 'temporarily_unavailable' });
    t.equal((await post('/oauth2/revoke', { token: first }, basic(shop))).status, 503);
    for (const known of [first, ...issued])
      if ((await introspect(known)).active !== true) t.fail('an answered token is lost');
    // Readiness writes less than a token, so its write may still fit a few times.
    const isReady = async () => (await fetch(`${admin}/readyz`)).status === 200;
    for (let looks = 0; looks < 100 && (await isReady()); looks++) await pause(100);
    t.strictSame([await isReady(), (await fetch(`${admin}/livez`)).status], [false, 200]);

    const freed = spawnSync('prlimit', ['--pid', String(service.child.pid), '--fsize=unlimited']);
    if (freed.status !== 0) return t.comment('no prlimit here: recovery not looked at');
    t.equal((await post('/oauth2/revoke', { token: first }, basic(shop))).status, 200);
    t.strictSame(await introspect(first), { active: false });
    t.equal((await introspect(await token())).active, true);
    t.equal((await fetch(`${admin}/readyz`)).status, 200);
  },
);

t.test('a disk that is full at the start is reported in one line, without a stack', { skip }, async (t) => {
  const config = writeConfig(temporaryFolder(t), { extra: 'admin: 127.0.0.1:0' });
  const service = spawnService(t, config, { shell: `${alone}; ulimit -S -f 8` });
  await service.ended;
  t.match(service.stderr(), /^gatehouse: .*(full|I\/O)/m);
  t.notMatch(service.stderr(), / {4}at /);
});
