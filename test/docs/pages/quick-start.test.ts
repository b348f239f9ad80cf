import t from 'tap';
import { follow, skipWithout } from './follow.ts';

t.setTimeout(600_000);

t.test(
  'the quick start: every block, one after another, does what the page says',
  { skip: skipWithout() },
  async (t) => {
    await follow(t, 'docs/quick-start.md');
  },
);
