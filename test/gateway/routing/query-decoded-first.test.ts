import t from 'tap';
import { parameterReader } from '../../../src/gateway/routing/lenient-fields.ts';
import { isQueryUnclear, queryDecodedFirst } from '../../../src/gateway/routing/query-decoded-first.ts';

t.test('a server that decodes a target before it splits it has another query', async (t) => {
  const queries: Readonly<Record<string, string | undefined>> = {
    '/a?b=c': undefined,
    '/a%20b?c=d': '?c=d',
    '/i/1%3Fop=delete&?op=read': '?op=delete&?op=read',
    '/i/1%23?op=read': '',
    '/i/1?x=%23&op=read': '?x=',
    '/i/1?op=read&x=%26op=delete': '?op=read&x=&op=delete',
    '/i/1?op=delete%20%0a': '?op=delete',
    '/i/1?op=de%09le%0Dte': '?op=delete',
  };
  for (const [target, wanted] of Object.entries(queries)) t.equal(queryDecodedFirst(target), wanted, target);
});

const read = (target: string) => {
  const { values, lenient } = parameterReader('op')({ target, query: /\?.*/.exec(target)?.[0] ?? '' });
  return JSON.stringify(values) === JSON.stringify(lenient);
};

t.test('a parameter that such a server reads differently is doubtful, one that it reads alike is not', async (t) => {
  for (const target of [
    '/i/1%3Fop=delete',
    '/i/1%3Fop=delete&?op=read',
    '/i/1%23?op=read',
    '/i/1%3F?op=read',
    '/i/1?x=%23&op=read',
    '/i/1?op=read&x=%26op=delete',
    '/q?x=1%26op=del',
    '/q?op=%2564elete',
    '/q?op=delete%20',
    '/q?o%0ap=delete',
    '/i/1%3Fx?op=read',
    '/i/1%23?a&op=read',
  ])
    t.notOk(read(target), target);
  for (const target of ['/q/a%40b?op=read', '/q?name=AT%26T&op=read', '/q?op=a%20b', '/q?x=100%25&op=read'])
    t.ok(read(target), target);
});

t.test('the begin of the query is unclear only because of a character in the path', async (t) => {
  for (const target of ['/a%3Fb', '/a%3fb?c', '/a%23', '/%23?x']) t.ok(isQueryUnclear(target), target);
  for (const target of ['/a', '/a?b=%3F', '/a?b=%23', '/a%20b?c=%3f', '/a%2523'])
    t.notOk(isQueryUnclear(target), target);
});
