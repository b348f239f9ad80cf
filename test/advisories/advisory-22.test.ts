import t from 'tap';
import { bench } from './bench.ts';

const routes = [
  { id: 'strip', match: { path: '/api/{rest*}' }, access: 'public', rewrite: { strip_prefix: '/api' } },
  {
    id: 'move',
    match: { path: '/old/{rest*}' },
    scope: 'admin',
    rewrite: { strip_prefix: '/old', add_prefix: '/new' },
  },
];

/** Path below the prefix → path that the upstream gets below its own prefix. */
const rests: Readonly<Record<string, string>> = {
  '/a%20b': '/a%20b',
  '/%C3%A9/%c3%a9': '/%C3%A9/%c3%a9',
  '/a%2Cb,c': '/a%2Cb,c',
  '/%3Fa?b=%3F': '/%3Fa?b=%3F',
  '/%7Eme/%61': '/~me/a',
  '/api/api': '/api/api',
  '/%61pi': '/api',
};

/** CVE-2026-40912: the prefix was cut from one form of the path by its length in another form. */
t.test(
  'advisory 22: the rest of a stripped path is the judged bytes, whatever the spelling of the prefix',
  async (t) => {
    const { send, upstream } = await bench(t, { routes });
    for (const prefix of ['/api', '/%61pi', '/a%70%69']) {
      for (const [rest, arrives] of Object.entries(rests)) {
        t.equal((await send({ target: prefix + rest })).status, 200, prefix + rest);
        t.equal(upstream.seen.pop()?.target, arrives, prefix + rest);
      }
    }
  },
);

t.test('advisory 22: no spelling of a stripped prefix bypasses the scope of its route', async (t) => {
  const { send, upstream } = await bench(t, { routes });
  for (const prefix of ['/old', '/%6fld', '/ol%64', '/%6F%6C%64'])
    for (const rest of Object.keys(rests)) t.equal((await send({ target: prefix + rest })).status, 401, prefix + rest);
  for (const target of ['/api/../old/x', '/api%2f..%2fold/x', '/api/%2e%2e/new/x'])
    t.equal((await send({ target })).status, 400, target);
  for (const target of ['/old%2fx', '/api%2fx', '/oldx', '/apix'])
    t.equal((await send({ target })).status, 404, `${target}: the prefix ends at a slash`);
  t.equal(upstream.seen.length, 0);
});
