import t from 'tap';
import { follow, skipWithout } from './follow.ts';

/** Starts a gateway: 5 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

t.test('the file of the README answers its request as the README shows', { skip: skipWithout() }, async (t) => {
  await follow(t, 'README.md', { skips: ({ text }) => text.startsWith('npm ') });
});
