import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openService } from '../../src/authorization/open-service.ts';
import { systemClock } from '../../src/base/clock.ts';
import { buildLog } from '../../src/base/log.ts';
import { openRecords } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { configuration, run } from './running-service.ts';

const log = buildLog({ level: 'silent', format: 'json' });

t.test('a failed start closes everything that it opened', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let closed = 0;
  const close = async () => {
    closed++;
    await records.close();
  };
  const adoptSecret = async () => Promise.reject(new Error('no secret today'));
  const failing = openService(configuration(), { directory, log, records: { ...records, close, adoptSecret } });
  await t.rejects(failing, /no secret today/);
  t.equal(closed, 1);
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

const skip = !existsSync('/proc/self/fd') && 'this system does not tell its open files';

t.test('a page that cannot be built leaves no file open', { skip }, async (t) => {
  const directory = temporaryFolder(t);
  const config = {
    audit: { file: 'audit.jsonl', max_size: 1_000, max_files: 1, max_age: 1_000 },
    theme: { logo: 'nothing.svg', css: {} },
  };
  await t.rejects(run(t, { directory, config }), /nothing\.svg/);
  t.ok(existsSync(join(directory, 'audit.jsonl')), 'it was opened');
  t.strictSame(
    openFiles().filter((file) => file.startsWith(directory)),
    [],
  );
});
