import t from 'tap';
import { parseHostPattern } from '../../../src/config/words/host-pattern.ts';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { captures } from '../../../src/gateway/routing/captures.ts';
import { looseParts } from '../../../src/gateway/routing/path-parts.ts';

function captured(pattern: string, path: string, host?: string, name = 'acme.example.com') {
  const parsed = parsePathPattern(pattern);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  const placed = {
    segments: parsed.segments,
    methods: undefined,
    conditions: [],
    caseSensitive: true,
    access: 'scope',
  };
  const hostPattern = host === undefined ? undefined : parseHostPattern(host);
  return captures({ ...placed, host: hostPattern }, name, looseParts(path));
}

t.test('a name captures its segment, the rest captures everything that is left', async (t) => {
  t.strictSame(captured('/a/{x}/b/{y}', '/a/1/b/2').path, { x: '1', y: '2' });
  t.strictSame(captured('/a/{rest*}', '/a/1/2').path, { rest: '1/2' });
  t.strictSame(captured('/a/{rest*}', '/a').path, { rest: '' });
  t.strictSame(captured('/{x}/{rest*}', '/a/').path, { x: 'a', rest: '' });
  t.strictSame(captured('/a', '/a').path, {});
});

t.test('a captured value is decoded once, and unchanged if it is not UTF-8', async (t) => {
  t.strictSame(captured('/{x}', '/a%20b').path, { x: 'a b' });
  t.strictSame(captured('/{x}', '/%2525').path, { x: '%25' });
  t.strictSame(captured('/{x}', '/%ff').path, { x: '%FF' });
  t.strictSame(captured('/{x}', '/a+b').path, { x: 'a+b' });
});

t.test('a host pattern captures its labels, an exact host captures nothing', async (t) => {
  t.strictSame(captured('/', '/', '{tenant}.example.com').host, { tenant: 'acme' });
  t.strictSame(captured('/', '/', 'acme.example.com').host, {});
  t.strictSame(captured('/', '/').host, {});
  t.strictSame(captured('/', '/', '{tenant}.example.com', 'other').host, {});
});
