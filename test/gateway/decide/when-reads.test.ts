import t from 'tap';
import { unseenIn } from '../../../src/gateway/decide/unseen.ts';
import { repeatedReads } from '../../../src/gateway/decide/when-reads.ts';
import { headOf } from '../head.ts';

const found = (when: string, query = '', headers: readonly string[] = []) =>
  repeatedReads(when)({ head: headOf(headers), query });

t.test('a parameter that an expression names and that is repeated, in any spelling, is reported', async (t) => {
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

t.test('a header that an expression names and that is in two lines, or in another spelling, is reported', async (t) => {
  for (const when of ['request.headers["X-Env"] != "a"', '"x-env" in request.headers']) {
    t.equal(found(when, '', ['X-Env', 'a', 'x-env', 'a']), 'header x-env');
    t.equal(found(when, '', ['X_Env', 'a']), 'header x-env');
    t.equal(found(when, '', ['X-Env', 'a', 'Via', '1', 'Via', '2', 'X-A', '1', 'X-A', '2']), undefined);
  }
  t.equal(found('request.headers.accept == "a"', '', ['Accept', 'a', 'Accept', 'b']), 'header accept');
  t.equal(found('request.headers["cookie"] == "a"', '', ['Cookie', 'a', 'Cookie', 'b']), undefined, 'it sees none');
});

t.test('if an expression may read any field, every repetition except in a list is reported', async (t) => {
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

t.test('an expression that reads neither reports nothing', async (t) => {
  t.equal(found('request.method == "GET"', '?a=1&a=2', ['X-A', '1', 'X-A', '1']), undefined);
});

/** By the RFC of each: 9110, 9111, 7239, 6455, 8288, 7240, 9421, and W3C Trace Context and Baggage. */
const lists = [
  ...['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Headers', 'Baggage'],
  ...['Cache-Control', 'Connection', 'Content-Encoding', 'Content-Language', 'Forwarded', 'If-Match', 'If-None-Match'],
  ...['Link', 'Pragma', 'Prefer', 'Sec-WebSocket-Extensions', 'Sec-WebSocket-Protocol', 'Signature'],
  ...['Signature-Input', 'TE', 'Tracestate', 'Trailer', 'Upgrade', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host'],
  'X-Forwarded-Proto',
];
const anyHeader = 'request.headers.exists(name, name == "x-env")';
const anyParameter = 'request.query.all(name, request.query[name] != "1")';

t.test('a field that is a list may have several lines, in one spelling of its name', async (t) => {
  for (const name of lists) {
    t.equal(found(anyHeader, '', [name, '1', name.toLowerCase(), '2', name, '3']), undefined, name);
    if (!name.includes('-')) continue;
    t.equal(found(anyHeader, '', [name, '1', name.replaceAll('-', '_'), '2']), 'a header', `${name} in two spellings`);
    t.equal(found(anyHeader, '', [name.replaceAll('-', '_'), '1', name.replaceAll('-', '_'), '2']), 'a header', name);
  }
  for (const name of ['Host', 'Content-Type', 'Origin', 'Date', 'X-Real-IP', 'User-Agent', ''])
    t.equal(found(anyHeader, '', [name, '1', name, '1']), 'a header', name);
});

t.test('a credential may be repeated if expressions cannot read it', async (t) => {
  for (const name of ['Authorization', 'Cookie'])
    t.equal(found(anyHeader, '', [name, 'a', name, 'b']), undefined, name);
  const unseen = unseenIn({ api_key: { in: 'header', name: 'X-Api-Key', keys: 'keys' } });
  const twice = { head: headOf(['X-Api-Key', 'a', 'x_api_key', 'b']), query: '' };
  t.equal(repeatedReads(anyHeader, unseen)(twice), undefined);
  t.equal(repeatedReads(anyHeader)(twice), 'a header');
  t.equal(repeatedReads('request.headers["x-api-key"] == "a"', unseen)(twice), undefined);
  t.equal(repeatedReads('request.headers["x-api-key"] == "a"')(twice), 'header x-api-key');
});

t.test('of several names that an expression reads, the first doubtful one is reported', async (t) => {
  const when = 'request.headers["x-a"] == "1" && request.query.b == "2" && request.query.c == "3"';
  t.equal(found(when, '?c=1&c=2', ['X-A', '1']), 'query c');
  t.equal(found(when, '?c=1&c=2&b=1&b=1', ['X-A', '1', 'X-A', '1']), 'header x-a');
  t.equal(found(when, '?b=1&c=2', ['X-A', '1']), undefined);
});

/** For a target as received. */
const inTarget = (target: string) =>
  repeatedReads(anyParameter)({
    head: headOf([], 'GET', target),
    query: target.includes('?') ? target.slice(target.indexOf('?')) : '',
  });

t.test('parameters are doubtful if a server that decodes before it splits gets others', async (t) => {
  for (const target of ['/a?b=1%26c=2', '/a?b=1%23c', '/a?b%3D1=2', '/a%3Fb=1', '/a%23?b=1', '/a?b=%3B&c=%26'])
    t.equal(inTarget(target), 'a query parameter', target);
  for (const target of ['/a', '/a?b=1', '/a%20b?c=1', '/a?b=%20c&d=%C3%A4', '/a?b=1%3D2', '/a?%62=1&c=2', '/a?b=%3F'])
    t.equal(inTarget(target), undefined, target);
});

t.test('a name with brackets is doubtful beside the same name without brackets, in any order', async (t) => {
  for (const query of ['?a=1&a[]=2', '?a[]=2&a=1', '?a[b][c]=2&x=1&A=1', '?a%5Bb%5D=1&a=2'])
    t.equal(found(anyParameter, query), 'a query parameter', query);
  for (const query of ['?a[b]=1&ab=2', '?b[a]=1&a=2', '?a[b]=1&a[c]=2'])
    t.equal(found(anyParameter, query), undefined, query);
});
