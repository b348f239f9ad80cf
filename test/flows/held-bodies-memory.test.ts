import t from 'tap';
import { ownMemory } from '../support/memory.ts';
import { open } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { credentials, heldBy, nonceOf, scene } from './held-bodies.ts';

/** Sends bodies of many chunks: 8 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const CHUNKS = 65_500;
const UPLOADERS = 5;

interface Upload {
  readonly what: string;
  readonly path: string;
  readonly fields: (nonce: string, count: number) => readonly string[];
}

const oneByOne: readonly Upload[] = [
  { what: 'a form', path: '/form', fields: () => ['Content-Type: application/x-www-form-urlencoded'] },
  {
    what: 'a body under auth-int',
    path: '/m/1',
    fields: (nonce, count) => [`Authorization: ${credentials({ nonce, count })}`],
  },
  { what: 'an upload to an API that wants Digest', path: '/legacy/a', fields: () => [] },
];

for (const { what, path, fields } of oneByOne) {
  t.test(`${what} of ${CHUNKS} chunks of one byte uses little more memory than its bytes`, async (t) => {
    const it = await scene(t);
    const nonce = await nonceOf(it);
    const clients = await Promise.all(Array.from({ length: UPLOADERS }, () => open(t, it.port)));
    const { heapUsed: before } = await ownMemory();
    const body = '1\r\nx\r\n'.repeat(CHUNKS);
    for (const [index, client] of clients.entries()) {
      const lines = [`POST ${path} HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked', ...fields(nonce, index + 1)];
      client.send(`${lines.join('\r\n')}\r\n\r\n${body}`);
    }
    t.ok(await until(async () => (await heldBy(it)) === UPLOADERS * CHUNKS, 60_000), 'exactly so much is held');
    const each = ((await ownMemory()).heapUsed - before) / (UPLOADERS * CHUNKS);
    t.ok(each < 20, `${each} bytes of heap for each chunk`);
  });
}
