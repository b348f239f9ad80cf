import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import t from 'tap';
import { skipWithoutBrowser as skip } from '../../support/browser.ts';
import { root } from './blocks.ts';

/** Runs the demo, and takes ten pictures with a browser: 15 s, and longer on a busy machine. */
t.setTimeout(180_000);

t.test('npm run pictures takes every picture of a page, and none names this machine', { skip }, async (t) => {
  const folder = t.testdir();
  const { status, stderr } = spawnSync(process.execPath, ['tools/pictures/main.ts', '--out', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  t.equal(status, 0, stderr);
  const kept = readdirSync(`${root}docs/pictures`).filter((name) => name.endsWith('.png'));
  t.strictSame(readdirSync(folder), kept);
});
