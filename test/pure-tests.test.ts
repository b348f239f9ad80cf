import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import t from 'tap';
import { allImports } from '../tools/check/import-graph.ts';
import { opening, pureTests } from '../tools/check/pure.ts';

/** Rooms whose rules can be tested without a socket and without a process. */
const PURE = ['base', 'config', 'http-auth', 'jwt', 'oauth', 'gateway/decide', 'gateway/message', 'gateway/routing'];

/** Tests of these rooms that need one, each with its reason. */
const opens: Readonly<Record<string, string>> = {
  'base/last-requests.test.ts': 'the last requests of kept connections',
  'base/listen.test.ts': 'an address that is taken',
  'base/lossy-output.test.ts': 'a pipe that nobody reads',
  'base/refuse-pages.test.ts': 'a hook of Fastify',
  'base/reset-connection.test.ts': 'a connection that ends',
  'base/shutdown.test.ts': 'a process that is blocked, and signals',
  'base/turn-lines.test.ts': 'the output of a whole process',
  'gateway/decide/framing-corpus.test.ts': 'bytes as the parser of Node.js reads them',
  'gateway/decide/rate-limit-dry.test.ts': 'a whole gateway',
  'gateway/decide/rate-limit.test.ts': 'a whole gateway',
  'gateway/message/target.property.test.ts': 'what an upstream is sent',
  'gateway/routing/path-corpus.test.ts': 'what an upstream is sent',
};

t.test('a test of a rule that needs no socket and no process uses none, or says why', async (t) => {
  const files = PURE.flatMap((room) => globSync(`test/${room}/**/*.test.ts`)).sort();
  const withSocket = files.filter((file) => opening(file) !== undefined);
  t.strictSame(
    withSocket.map((file) => relative('test', file)),
    Object.keys(opens),
  );
});

t.test('npm run check includes the tests of whole rooms, and no test of a whole program', async (t) => {
  const files = pureTests();
  for (const room of PURE)
    t.ok(
      files.some((file) => file.startsWith(`test/${room}/`)),
      room,
    );
  t.strictSame(
    files.filter((file) => /^test\/(flows|faults|oracles|peers|deploy)\//.test(file)),
    [],
  );
});

t.test('files that make a RegExp slow in their process run after all others', async (t) => {
  const replaces = (path: string) =>
    path.endsWith('.ts') && /\bRegExp\.prototype\.\w+ = /.test(readFileSync(path, 'utf8'));
  const files = pureTests();
  const slowing = files.filter((file) => [file, ...allImports(file).map(({ to }) => to)].some(replaces));
  t.ok(slowing.length > 0);
  t.strictSame(files.slice(-slowing.length), slowing);
});
