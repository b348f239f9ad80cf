import t from 'tap';
import { follow, skipWithout } from './follow.ts';

/** Follows a page, command by command: 9 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

t.test(
  'the quick start: every block, one after another, does what the page says',
  { skip: skipWithout() },
  async (t) => {
    await follow(t, 'docs/quick-start.md');
  },
);
