import t from 'tap';
import { follow, skipWithout } from './follow.ts';

t.setTimeout(600_000);

t.test('from shadow mode to enforcement: every block does what the page says', { skip: skipWithout() }, async (t) => {
  await follow(t, 'docs/in-front-of-my-api.md');
});
