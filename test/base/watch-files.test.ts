import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { WatchedFiles, watchFiles } from '../../src/base/watch-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

function watched(t: Test) {
  const directory = temporaryFolder(t);
  const files = new WatchedFiles();
  const at = (name: string) => join(directory, name);
  const note = () => {
    files.clear();
    files.add(at('a'));
    files.add(at('absent'));
  };
  let calls = 0;
  writeFileSync(at('a'), 'one');
  note();
  const onChange = async () => {
    calls++;
    note();
  };
  const watch = watchFiles({ files, onChange, every: 20 });
  t.teardown(() => watch.close());
  return { at, calls: () => calls };
}

const changes: Readonly<Record<string, (at: (name: string) => string) => void>> = {
  'written anew': (at) => writeFileSync(at('a'), 'two'),
  'replaced by another': (at) => {
    writeFileSync(at('b'), 'one');
    renameSync(at('b'), at('a'));
  },
  removed: (at) => unlinkSync(at('a')),
  'there at last': (at) => writeFileSync(at('absent'), 'x'),
  'a link now': (at) => {
    writeFileSync(at('b'), 'one');
    symlinkSync('b', at('c'));
    renameSync(at('c'), at('a'));
  },
};

for (const [name, change] of Object.entries(changes)) {
  t.test(`a file that is ${name} is reported once`, async (t) => {
    const { at, calls } = watched(t);
    change(at);
    t.ok(await until(() => calls() === 1));
    await pause(100);
    t.equal(calls(), 1);
  });
}

t.test('a change is reported only when the writer has finished', async (t) => {
  const { at, calls } = watched(t);
  for (let i = 0; i < 40; i++) {
    writeFileSync(at('a'), 'x'.repeat(i));
    await pause(5);
  }
  const during = calls();
  t.ok(await until(() => calls() > during));
  t.ok(during <= 1, `${during} calls while it was written`);
});

t.test('a change between the registration and the first check is reported', async (t) => {
  const { at, calls } = watched(t);
  writeFileSync(at('a'), 'changed at once');
  t.ok(await until(() => calls() === 1));
});
