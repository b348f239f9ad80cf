import t from 'tap';
import { follow, skipWithout } from './pages/follow.ts';

/** Starts the program for each command of the page. */
t.setTimeout(120_000);

t.test('every block of the page about API keys does what the page says', { skip: skipWithout() }, async (t) => {
  await follow(t, 'docs/cookbook/api-keys.md');
});
