import t from 'tap';
import { follow, skipWithout } from './follow.ts';

/** Starts a gateway: 5 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

t.test('with the file of the README, its request gets the answer in the README', { skip: skipWithout() }, async (t) => {
  await follow(t, 'README.md', { skips: ({ text }) => text.startsWith('npm ') });
});
