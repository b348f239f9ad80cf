import t from 'tap';
import { corpus, skip } from '../support/corpora.ts';
import { readings } from '../support/lenient-path.ts';
import { sendAll } from '../support/many.ts';
import { requestText } from '../support/request-text.ts';
import { bench } from './bench.ts';

const rewrite = { strip_prefix: '/api', add_prefix: '/tenant' };
const routes = [
  { id: 'strict', match: { path: '/api/{rest*}' }, access: 'public', rewrite },
  {
    id: 'lax',
    match: { path: '/lax/{rest*}' },
    access: 'public',
    encoded_slashes: 'keep',
    path_parameters: 'keep',
    rewrite: { strip_prefix: '/lax', add_prefix: '/tenant' },
  },
];

const lists = ['patt_deep_traversal', 'patt_directory_traversal'];

function* targets(): Generator<string> {
  for (const list of lists)
    for (const line of corpus(`path-lists/${list}.txt`).split('\n').filter(Boolean))
      for (const prefix of ['/api/', '/lax/a/']) yield prefix + line.replaceAll('{FILE}', 'secret');
  for (const name of ['a', 'a%20b', 'a.b', '..a']) yield* [`/api/${name}`, `/lax/${name}`];
}

/** GHSA-c4qr-gmr9-v23w, GHSA-qmw8-3v4g-gwj4: a path escaped from its prefix. */
t.test('advisory 42: the upstream reads every path as a path below the prefix', { skip }, async (t) => {
  const { port, upstream } = await bench(t, { routes });
  await sendAll({
    port,
    items: targets(),
    bytes: (target) => requestText({ target: Buffer.from(target).toString('latin1') }),
    onAnswer: () => {},
  });
  const left = upstream.seen.filter(({ target }) => !readings(target).every((path) => /^\/tenant(\/|$)/.test(path)));
  t.same(left.map(({ target }) => target).slice(0, 10), []);
  t.ok(upstream.seen.length >= 8, 'some arrived');
});
