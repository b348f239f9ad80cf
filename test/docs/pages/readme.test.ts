import { readFileSync } from 'node:fs';
import t from 'tap';
import { connectTo } from '../../support/raw-client.ts';
import { root } from './blocks.ts';
import { follow, skipWithout } from './follow.ts';

/** Starts a gateway: 5 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

t.test('with the file of the README, its request gets the answer in the README', { skip: skipWithout() }, async (t) => {
  const { shell, ports } = await follow(t, 'README.md', { skips: ({ text }) => text.startsWith('npm ') });
  const [, stop = ''] = /`(kill [^`]+)`/.exec(readFileSync(`${root}README.md`, 'utf8')) ?? [];
  t.match(readFileSync(`${root}docs/both-files.md`, 'utf8'), stop, 'the page that continues the example says it too');
  t.match(await shell.enter(`${stop}; wait`), { status: 0 }, 'its command stops the gateway');
  await t.rejects(connectTo(Number(ports['8080'])), { code: 'ECONNREFUSED' }, 'and the port is free');
});
