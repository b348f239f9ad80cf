import { chmodSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { run } from '../authorization/running-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Harm = (file: string) => void;

const harms: readonly [title: string, harm: Harm][] = [
  ['missing', (file) => rmSync(file)],
  ['empty', (file) => truncateSync(file)],
  ['of another key', (file) => writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`)],
  ['no key', (file) => writeFileSync(file, 'not base64 at all\n')],
  ['open to others', (file) => chmodSync(file, 0o644)],
];

// CVE-2026-27586: an unreadable file counted as nothing to check.
t.test('advisory 61: the service does not start with a bad key file', async (t) => {
  for (const [title, harm] of harms) {
    const directory = temporaryFolder(t);
    await (await run(t, { directory })).stop();
    harm(join(directory, 'gatehouse.db.key'));
    await t.rejects(run(t, { directory }), { name: 'StorageUnusable' }, title);
  }
});

t.test('advisory 61: an audit file that is not writable is an error at start', async (t) => {
  const directory = temporaryFolder(t);
  await t.rejects(
    run(t, { directory, config: { audit: { file: '.', max_size: 'none', max_files: 1, max_age: 'none' } } }),
    {
      name: 'StorageUnusable',
      message: /audit file.*EISDIR/,
    },
  );
});
