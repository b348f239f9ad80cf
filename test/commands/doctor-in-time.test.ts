import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { command } from '../support/command.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { doctored, expectSeen, main, withServer } from './doctored.ts';

/** Waits for servers that do not answer. */
t.setTimeout(60_000);

t.test('a server that does not answer is reported after 3 s, and delays nothing else', async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const file = await withServer(t, main(`http://127.0.0.1:${port}`));
  const { between, measure } = await lateness(t);
  const help = await measure(() => command(t, ['doctor', '--help']).ended());
  const from = performance.now();
  const found = await doctored(t, file);
  const all = await between(from, performance.now());
  expectSeen(t, found, 'authorization_servers.main metadata', 'bad', /^no answer within 3 s$/);
  expectSeen(t, found, 'upstreams.api', 'good', /^connects$/);
  inTime(t, 'beyond what its help takes, once 3 s for all of it', 6_000, { ...all, took: all.took - help.took });
});
