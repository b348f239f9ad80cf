import t from 'tap';
import { follow, skipWithout } from './follow.ts';

/** Follows a page, command by command: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

t.test('both files, written by hand, work as their page says, in its order', { skip: skipWithout() }, async (t) => {
  await follow(t, 'docs/both-files.md');
});
