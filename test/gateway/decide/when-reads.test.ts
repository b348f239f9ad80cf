import t from 'tap';
import { repeatedReads } from '../../../src/gateway/decide/when-reads.ts';
import { headOf } from '../head.ts';

const found = (when: string, query = '', headers: readonly string[] = []) =>
  repeatedReads(when)({ head: headOf(headers), query });

t.test('a parameter that an expression names and that occurs twice, in any spelling, is told', async (t) => {
  for (const when of [
    'request.query.debug != "1"',
    `request.query['debug'] != "1"`,
    '!has(request.query.debug)',
    '!("debug" in request.query)',
    'identity.claims.x == "y" && (request . query . debug == "1" || true)',
  ]) {
    for (const query of [
      '?debug=1&debug=1',
      '?debug=1&%64ebug=2',
      '?Debug=1',
      '?debug[]=1',
      '?a=1;debug=1',
      '?debug=1;x',
    ])
      t.equal(found(when, query), 'query debug', `${when} ${query}`);
    for (const query of ['', '?', '?debug=1', '?debug=1&a=1&a=2', '?x=debug&debug=', '?q=a;b&debug=1'])
      t.equal(found(when, query), undefined, `${when} ${query}`);
  }
});

t.test('a header that an expression names and that stands in two lines, or in another spelling, is told', async (t) => {
  for (const when of ['request.headers["X-Env"] != "a"', '"x-env" in request.headers']) {
    t.equal(found(when, '', ['X-Env', 'a', 'x-env', 'a']), 'header x-env');
    t.equal(found(when, '', ['X_Env', 'a']), 'header x-env');
    t.equal(found(when, '', ['X-Env', 'a', 'Via', '1', 'Via', '2', 'X-A', '1', 'X-A', '2']), undefined);
  }
  t.equal(found('request.headers.accept == "a"', '', ['Accept', 'a', 'Accept', 'b']), 'header accept');
  t.equal(found('request.headers["cookie"] == "a"', '', ['Cookie', 'a', 'Cookie', 'b']), undefined, 'it sees none');
});

t.test('where it may read any, every repetition is told but that of a list', async (t) => {
  const headers = 'request.headers.exists(name, name == "x-env")';
  t.equal(found(headers, '?a=1&a=2', ['X-A', '1', 'X-A', '1']), 'a header');
  t.equal(found(headers, '', ['X-A', '1', 'X_A', '1']), 'a header');
  t.equal(found(headers, '', ['Via', '1', 'V~a', '1']), undefined);
  const lists = ['Via', 'Accept', 'X-Forwarded-For', 'Cache-Control'].flatMap((name) => [name, '1', name, '2']);
  t.equal(found(headers, '?a=1&a=2', [...lists, 'Cookie', 'a', 'Cookie', 'b', 'X-A', '1']), undefined);
  const parameters = 'request.query.all(name, request.query[name] != "1")';
  for (const query of ['?a=1&a=1', '?a=1&A=1', '?a=1;b', '?a=1&a[]=2', '?a[]=1&a[]=2', '?&a&a'])
    t.equal(found(parameters, query), 'a query parameter', query);
  for (const query of ['', '?', '?a=1&b=1', '?f[a]=1&f[b]=2', '?&a=1&&b=1&'])
    t.equal(found(parameters, query), undefined, query);
  t.equal(found('[request].all(r, r.query.a != "1")', '?b=1&b=2'), 'a query parameter', 'or the request as a whole');
});

t.test('an expression that reads neither tells nothing', async (t) => {
  t.equal(found('request.method == "GET"', '?a=1&a=2', ['X-A', '1', 'X-A', '1']), undefined);
});
