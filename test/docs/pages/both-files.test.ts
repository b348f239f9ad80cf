import { readFileSync } from 'node:fs';
import t from 'tap';
import { connectTo } from '../../support/raw-client.ts';
import { root } from './blocks.ts';
import { follow, skipWithout } from './follow.ts';

/** Follows a page, command by command: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('both files, written by hand, work as their page says, in its order', { skip: skipWithout() }, async (t) => {
  const { shell, ports } = await follow(t, 'docs/both-files.md');
  const [, stop = ''] = /`(kill \$\(jobs[^`]+)`/.exec(readFileSync(`${root}docs/both-files.md`, 'utf8')) ?? [];
  t.match(await shell.enter(`${stop} && wait`), { status: 0 }, 'its command stops the programs');
  for (const port of ['8080', '8081', '9000'])
    await t.rejects(connectTo(Number(ports[port])), { code: 'ECONNREFUSED' }, `port ${port} is free`);
});
