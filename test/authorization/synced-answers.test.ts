import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { basic, requests, shop } from './running-service.ts';
import { ready, spawnService, writeConfig } from './service-process.ts';

const works = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const skip = works ? false : 'strace is not installed, or may not trace';

t.test('between the last write to SQLite and its answer, a sync completes', { skip }, async (t) => {
  const directory = temporaryFolder(t);
  const trace = join(directory, 'trace');
  const calls = 'trace=write,writev,sendto,sendmsg,pwrite64,pwritev,fsync,fdatasync';
  const service = spawnService(t, writeConfig(directory), {
    wrapper: ['strace', '-D', '-f', '-y', '-s', '16', '-e', calls, '-o', trace],
  });
  const { token, post } = requests(await ready(service));
  for (let count = 0; count < 10; count++) {
    const issued = await token();
    t.equal((await post('/oauth2/revoke', { token: issued }, basic(shop))).status, 200);
  }
  service.child.kill('SIGTERM');
  await service.ended;
  const { answers, unsynced, writes } = judge(readFileSync(trace, 'utf8').split('\n'));
  t.ok(answers >= 20 && writes >= 20, `${answers} answers, ${writes} writes`);
  t.strictSame(unsynced, []);
});

const write = /(?:pwrite64|pwritev|write)\(\d+<[^>]*gatehouse\.db(?:-wal)?>/;
const sync = /(?:fdatasync|fsync)\(\d+<[^>]*gatehouse\.db(?:-wal)?>/;
const answer = /(?:write|writev|sendto|sendmsg)\(\d+<(?:socket|TCP)[^>]*>.*"HTTP\/1\.1 200/;

/** An answer is unsynced if no sync completed between the last write before it and the answer. */
function judge(lines: readonly string[]) {
  let [answers, writes, isDirty] = [0, 0, false];
  const unsynced: string[] = [];
  const syncing = new Set<string>();
  for (const line of lines) {
    const thread = line.split(' ', 1)[0] ?? '';
    if (write.test(line)) {
      writes++;
      isDirty = true;
      syncing.clear();
    }
    if (sync.test(line) && line.includes('unfinished')) syncing.add(thread);
    else if (sync.test(line)) isDirty = false;
    if (/<\.\.\. f(data)?sync resumed/.test(line) && syncing.delete(thread)) isDirty = false;
    if (!answer.test(line)) continue;
    answers++;
    if (isDirty) unsynced.push(line);
  }
  return { answers, writes, unsynced };
}
