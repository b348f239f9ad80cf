import t from 'tap';
import { LastMade } from '../../../src/base/last-made.ts';
import type { BearerMethod } from '../../../src/config/schema/gateway.ts';
import { extract, wantsForm, whyMissing } from '../../../src/gateway/decide/credentials.ts';
import { headOf } from '../head.ts';

const all: ReadonlySet<BearerMethod> = new Set(['header', 'body', 'query']);

const head = (headers: readonly string[] = [], method = 'POST') => headOf(headers, method);

function found(headers: readonly string[], query: string, methods = all, form?: string) {
  const extracted = extract(head(headers), query, methods, form === undefined ? undefined : Buffer.from(form));
  if (extracted.kind === 'refused') return extracted.code;
  return extracted.kind === 'none' ? 'none' : `${extracted.place} ${extracted.token}`;
}

t.test('the scheme name is read in any case, the token is not', async (t) => {
  t.equal(found(['Authorization', 'bEaReR aB.c-_~+/=='], ''), 'header aB.c-_~+/==');
  t.equal(found(['authorization', 'Bearer   a'], ''), 'header a');
});

t.test('a credential that is not of the form Bearer b64token is malformed', async (t) => {
  for (const value of [
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer =a',
    'Bearer "a"',
    'Bearer\ta',
    'Bearer a=b',
  ]) {
    t.equal(found(['Authorization', value], ''), 'credential_malformed', value);
  }
});

t.test('credentials of another scheme do not count', async (t) => {
  for (const value of ['Basic YTpi', 'Bearerx a', 'Digest username="a"', '', 'a'])
    t.equal(found(['Authorization', value], ''), 'none', value);
});

t.test('two credentials are refused, even equal ones, in any places', async (t) => {
  const bearer = ['Authorization', 'Bearer a'];
  t.equal(found([...bearer, ...bearer], ''), 'credential_repeated');
  t.equal(found(['Authorization', 'Basic YTpi', ...bearer], ''), 'credential_repeated');
  t.equal(found(bearer, '?access_token=a'), 'credential_repeated');
  t.equal(
    found(bearer, '?x=1&acc%65ss_token=a', new Set(['header'])),
    'credential_repeated',
    'also where query is not listed',
  );
  t.equal(found([], '?access_token=a&access_token=a'), 'credential_repeated');
  t.equal(found([], '?access_token=a', all, 'access_token=b'), 'credential_repeated');
  t.equal(found(bearer, '', all, 'access_token=b'), 'credential_repeated');
  t.equal(found(['Authorization', 'Bearer'], '?access_token=a'), 'credential_repeated');
});

t.test('a place that the route does not list has no credential', async (t) => {
  t.equal(found([], '?access_token=a', new Set(['header'])), 'none');
  t.equal(found(['Authorization', 'Bearer a'], '', new Set(['query'])), 'none');
});

t.test('an empty or invalid token is malformed in query and form too', async (t) => {
  t.equal(found([], '?access_token='), 'credential_malformed');
  t.equal(found([], '?access_token'), 'credential_malformed');
  t.equal(found([], '?access_token=a%20b'), 'credential_malformed');
  t.equal(found([], '', all, 'access_token=a%00'), 'credential_malformed');
});

t.test('the token is removed and every other byte stays', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '?access_token=a': '',
    '?access_token=a&b=%zz&c': '?b=%zz&c',
    '?b=+&access%5ftoken=a&&c': '?b=+&&c',
    '?b=access_token': '?b=access_token',
  };
  for (const [query, rest] of Object.entries(cases))
    t.match(extract(head(), query, all, undefined), { query: rest }, query);
  const extracted = extract(head(), '', all, Buffer.from('x=\u00e9&access_token=t&y=%e9', 'utf8'));
  t.match(extracted, { kind: 'credential', token: 't', form: Buffer.from('x=\u00e9&y=%e9', 'utf8') });
});

t.test('a body is read only as an unencoded form, and never with GET or HEAD (advisory 44)', async (t) => {
  const form = 'application/x-www-form-urlencoded';
  const body = ['Content-Length', '9'];
  const wanted = (headers: readonly string[], method = 'POST') => wantsForm(head([...body, ...headers], method), all);
  for (const type of [
    form,
    form.toUpperCase(),
    `${form}; charset=UTF-8`,
    `${form};charset="utf-8"`,
    `${form} ; charset = utf-8`,
  ]) {
    t.ok(wanted(['Content-Type', type]), type);
  }
  for (const type of [
    `${form};`,
    `${form}; charset=latin1`,
    `${form}; charset=utf-8x`,
    `${form}; charset=x-utf-8`,
    `${form}; charsets=utf-8`,
    `${form}x`,
    ` x${form}`,
    `${form}, text/plain`,
    `${form}\t\tx`,
    'text/plain',
    '',
    `${form};boundary=x`,
    `multipart/form-data; boundary=x`,
  ]) {
    t.notOk(wanted(['Content-Type', type]), type);
  }
  t.notOk(wanted(['Content-Type', form, 'Content-Type', form]), 'two Content-Type lines');
  t.notOk(wanted(['Content-Type', form, 'Content-Encoding', 'identity']), 'any Content-Encoding');
  for (const method of ['GET', 'HEAD']) t.notOk(wanted(['Content-Type', form], method), method);
  t.notOk(wantsForm(head(['Content-Type', form]), all), 'no body at all');
  t.notOk(wantsForm(head([...body, 'Content-Type', form]), new Set(['header', 'query'])), 'not listed');
});

t.test('the log says whether a malformed token is empty or has an invalid character', async (t) => {
  const detail = (headers: readonly string[], query = '') => {
    const extracted = extract(head(headers), query, all, undefined);
    return extracted.kind === 'refused' ? extracted.detail : undefined;
  };
  const [empty, odd] = ['the token is empty', 'the token contains an invalid character'];
  t.equal(detail(['Authorization', 'Bearer']), empty);
  t.equal(detail(['Authorization', 'Bearer   ']), empty);
  t.equal(detail(['Authorization', 'Bearer a,b']), odd);
  t.equal(detail([], '?access_token='), empty);
  t.equal(detail([], '?access_token=+'), empty);
  t.equal(detail([], '?access_token=a%20b'), odd);
});

t.test('a missing credential is described in full: no credential, from no place', async (t) => {
  t.strictSame(extract(head(), '?a=1', all, undefined), {
    kind: 'none',
    scheme: 'bearer',
    token: '',
    place: undefined,
    query: '?a=1',
    form: undefined,
  });
  const basic = extract(head(['Authorization', 'Basic YTpi']), '', all, undefined, [{ name: 'basic' }]);
  t.match(basic, { kind: 'credential', scheme: 'basic', token: 'Basic YTpi', place: 'header' });
  t.match(extract(head(['Authorization', 'Bearer a']), '', all, undefined, [{ name: 'basic' }]), { scheme: 'bearer' });
  t.match(extract(head(['Authorization', '@']), '', all, undefined, [{ name: 'basic' }]), { kind: 'none' });
});

t.test(
  'the reason for a missing credential: it is in a place that the route does not read, or there is none',
  async (t) => {
    const header: ReadonlySet<BearerMethod> = new Set(['header']);
    const query: ReadonlySet<BearerMethod> = new Set(['query']);
    const FORM = 'application/x-www-form-urlencoded';
    const body = (type: string) => ['Content-Type', type, 'Content-Length', '9'];
    const form = body(FORM);
    const notForm = `a body with a token must be a form: ${FORM} (RFC 6750 §2.2)`;
    const placed = [{ name: 'key', places: [{ in: 'header', name: 'x-api-key' }] }] as const;
    const cases: readonly (readonly [expected: string, ...Parameters<typeof whyMissing>])[] = [
      ['there is no Authorization field', head(), '', header],
      ['there is no Authorization field', head(), '?a=access_token', header, [{ name: 'basic' }]],
      ['this route does not read a token in the query', head(), '?access_token=t', header],
      ['this route does not read a token in the body', head(form), '', header],
      ['this route does not read a token in the body', head(form, 'GET'), '', header],
      ['this route does not read a token in the body', head(body('multipart/form-data; boundary=a')), '', header],
      ['this route does not read a token in the body', head(body(`${FORM};charset=latin1`)), '', query],
      ['there is no Authorization field', head(body('application/json')), '', header],
      ['there is no Authorization field', head(form), '', all],
      [`there is no Authorization field, and ${notForm}`, head(body('application/json')), '', all],
      [`there is no Authorization field, and ${notForm}`, head(body('multipart/form-data; boundary=a')), '', all],
      [`there is no Authorization field, and ${notForm}`, head(['Content-Length', '9']), '', all],
      [notForm, head(body('application/json')), '', new Set(['body'])],
      [
        'a form with a token must not have a Content-Encoding',
        head([...form, 'Content-Encoding', 'gzip']),
        '',
        new Set(['body']),
      ],
      [
        'a token in a body needs another method than GET and HEAD (RFC 6750 §2.2)',
        head(form, 'GET'),
        '',
        new Set(['body']),
      ],
      ['this route does not read a token in the Authorization header', head(['Authorization', 'Bearer t']), '', query],
      ['the request has no token where this route reads one', head(['Authorization', 'Basic YTpi']), '', query],
      ['the request has no token where this route reads one', head(), '', query],
      [
        'the scheme of the Authorization field is not accepted on this route',
        head(['Authorization', 'Basic YTpi']),
        '',
        header,
      ],
      ['the request has no credential where this route reads one', head(), '', header, placed],
      [
        'the request has no credential where this route reads one',
        head(['Authorization', 'Basic a']),
        '',
        query,
        placed,
      ],
      ['this route does not read a token in the query', head(), '?access_token=t', header, placed],
    ];
    for (const [expected, ...asked] of cases) t.equal(whyMissing(...asked), expected);
  },
);

t.test('a text that was parsed before is judged by the schemes and places of each route', async (t) => {
  const [bearer, basic] = [[], [{ name: 'basic' }]];
  for (const value of ['Bearer a', 'Bearer a b', 'Basic YTpi', 'Digest a=b']) {
    const once = head(['Authorization', value]);
    const repeated = { ...once, authorization: { lines: 1, value, parsed: new LastMade<unknown>() } };
    for (const schemes of [bearer, bearer, basic, basic, bearer])
      for (const methods of [all, new Set<BearerMethod>(['query'])]) {
        const told = extract(repeated, '', methods, undefined, schemes);
        t.strictSame(told, extract(once, '', methods, undefined, schemes), value);
      }
    const twice = { ...repeated, authorization: { ...repeated.authorization, lines: 2 } };
    t.match(extract(twice, '', all, undefined, bearer), { code: 'credential_repeated' });
  }
});
