import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readMessage } from '../../../src/gateway/mcp/message.ts';
import { McpRules } from '../../../src/gateway/mcp/rules.ts';
import { pythonScript, type Reader, startReader } from '../../support/mcp/readers.ts';
import fc, { tries } from '../../support/properties.ts';

/** A long run reads 150,000 URIs in more than twenty ways. */
t.setTimeout(120_000);

const BATCH = 500;

/** `/etc` is secret, and everything else is not. */
const rules = new McpRules<'secret' | 'open'>();
rules.add('resources/read', 'open');
rules.add('resources/read file:///srv/*', 'open');
rules.add('resources/read file:///etc/*', 'secret');

/** Ways in which servers of Node.js find the file of a resource. */
const ways: readonly ((uri: string) => string)[] = [
  (uri) => fileURLToPath(uri),
  (uri) => fileURLToPath(uri, { windows: true }).replace(/^[a-z]:/i, ''),
  (uri) => decodeURIComponent(new URL(uri).pathname),
  (uri) => decodeURIComponent(decodeURIComponent(new URL(uri).pathname)),
  (uri) => new URL(decodeURIComponent(uri)).pathname,
  (uri) => new URL(uri, 'file:///').pathname,
  (uri) => uri.replace('file://', ''),
  (uri) => decodeURI(uri.replace(/^file:\/*/i, '/')),
  (uri) => win32.normalize(decodeURIComponent(new URL(uri).pathname)),
  (uri) => win32.resolve('C:\\', uri.replace(/^file:/i, '')).slice(2),
  (uri) => new URL(uri).hostname + new URL(uri).pathname,
  (uri) => new URL(uri.trim()).href.slice('file://'.length),
];

function pathsIn(uri: string): readonly string[] {
  return ways.flatMap((way) => {
    try {
      return [posix.normalize(`/${way(uri).replaceAll('\\', '/')}`)];
    } catch {
      return [];
    }
  });
}

/** Windows and macOS ignore case. */
const isSecret = (path: string) => /^\/+etc\/+passwd(?:[?#]|$)/i.test(path);

const segments = fc.constantFrom(
  'etc',
  'passwd',
  'srv',
  '..',
  '.',
  '',
  'x',
  'ETC',
  '%2e%2e',
  '%2E.',
  '..%2f',
  '..\\',
  'etc/passwd',
  '%65tc',
  '\uff45tc',
);
const starts = fc.constantFrom(
  'file:///',
  'file://',
  'file:/',
  'file:',
  'FILE:///',
  'file:////',
  'file://localhost/',
  'file://x/',
  'file:\\\\\\',
  ' file:///',
  '/',
  '',
  '\u00a0file:///',
  'file:///srv/',
  'file:///c:/',
  'file:///srv/../',
);
const ends = fc.constantFrom(
  '',
  '',
  '',
  '?',
  '#',
  '?a',
  '#%',
  '%',
  '%ff',
  '?%zz',
  '%3f',
  '/',
  '/.',
  ' ',
  '%20',
  '.',
  '%00',
  ';a',
  '#/../x',
  '?/../../srv/a',
);

/** Writes some characters in other ways. */
const spellings: readonly ((character: string) => string)[] = [
  (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  (character) => `%25${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  (character) => `%u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  (character) => character.toUpperCase(),
  (character) => (character === '/' ? '\\' : character),
  (character) => (character === '.' ? '%c0%ae' : character),
];

const uris = fc
  .record({
    start: starts,
    path: fc.oneof(
      fc.constant(['etc', 'passwd']),
      fc.array(segments, { minLength: 1, maxLength: 6 }),
      fc.array(segments, { maxLength: 3 }).map((before) => [...before, '..', '..', '..', 'etc', 'passwd']),
    ),
    end: ends,
    changes: fc.oneof(fc.constant([]), fc.array(fc.tuple(fc.nat(), fc.constantFrom(...spellings)), { maxLength: 3 })),
  })
  .map(({ start, path, end, changes }) => {
    const characters = [...`${start}${path.join('/')}${end}`];
    for (const [at, spell] of changes) {
      const place = at % Math.max(1, characters.length);
      const character = characters[place];
      if (character !== undefined && character < '\x7f') characters[place] = spell(character);
    }
    return characters.join('');
  })
  .filter((uri) => uri !== '');

type Verdict = 'open' | 'secret' | 'unclear' | 'no message';

function verdict(uri: string): Verdict {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  const message = readMessage(Buffer.from(text));
  if (message.kind === 'fault') return 'no message';
  const match = rules.find({ method: 'resources/read', name: uri });
  return match.kind === 'rule' ? match.rule.value : 'unclear';
}

t.test('no server finds a file of a rule that was not applied', async (t) => {
  const peer = pythonScript('mcp_files.py');
  if ('missing' in peer) return t.plan(0, peer.missing);
  const python: Reader<readonly string[]> = startReader(t, peer);
  const { numRuns = 0 } = tries(3000, 30_000);
  const seed = fc.readConfigureGlobal()?.seed ?? Math.trunc(performance.timeOrigin % 2 ** 31);
  t.comment(`GATEHOUSE_SEED=${seed}`);
  const counts = { open: 0, secret: 0, unclear: 0, 'no message': 0 };
  const all = fc.sample(uris, { numRuns, seed });
  const missed: string[] = [];
  for (let at = 0; at < all.length; at += BATCH) {
    const some = all.slice(at, at + BATCH);
    const found = await python.ask(some.map((uri) => Buffer.from(uri)));
    some.forEach((uri, index) => {
      const judged = verdict(uri);
      counts[judged]++;
      if (judged === 'open' && [...pathsIn(uri), ...(found[index] ?? [])].some(isSecret)) missed.push(uri);
    });
  }
  t.comment(`${all.length} URIs: ${JSON.stringify(counts)}`);
  t.strictSame(missed.slice(0, 20), []);
  for (const [kind, count] of Object.entries(counts))
    if (kind !== 'no message') t.ok(count > all.length / 100, `enough are ${kind}`);
});
