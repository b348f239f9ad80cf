import t from 'tap';
import type { BearerMethod } from '../../../src/config/schema/gateway.ts';
import { extract } from '../../../src/gateway/decide/credentials.ts';
import {
  credentialHeaders,
  credentialParameters,
  placedCredentials,
} from '../../../src/gateway/decide/placed-credentials.ts';
import { headOf } from '../head.ts';

const key = {
  name: 'key',
  places: [
    { in: 'header', name: 'x-api-key' },
    { in: 'query', name: 'api_key' },
  ],
} as const;
const basic = { name: 'basic' };
const bearer: ReadonlySet<BearerMethod> = new Set(['header', 'query']);

function found(headers: readonly string[], query: string, form?: string) {
  const body = form === undefined ? undefined : Buffer.from(form);
  const extracted = extract(headOf(headers), query, bearer, body, [basic, key]);
  if (extracted.kind === 'refused') return extracted.code;
  const { scheme, place, token } = extracted;
  return { scheme, place, token, query: extracted.query };
}

t.test('schemes without their own places cost nothing', async (t) => {
  t.equal(placedCredentials(headOf(), '?api_key=a', []), undefined);
  t.equal(placedCredentials(headOf(), '?api_key=a', [basic]), undefined);
  t.equal(credentialHeaders([]), undefined);
  t.equal(credentialHeaders([basic]), undefined);
  t.strictSame(credentialParameters([basic]), []);
});

t.test('a credential in a header or a parameter of its scheme is found, and removed from the query', async (t) => {
  t.strictSame(found(['X-Api-Key', 'a'], '?x=1'), { scheme: 'key', place: 'header', token: 'a', query: '?x=1' });
  t.strictSame(found([], '?x=1&api%5Fkey=a%2Fb&y=2'), {
    scheme: 'key',
    place: 'query',
    token: 'a/b',
    query: '?x=1&y=2',
  });
  t.match(found(['X-Api-Key', 'a'], '?'), { query: '?' }, 'where none is taken out, nothing changes');
  t.strictSame(found([], '?api_key=a'), { scheme: 'key', place: 'query', token: 'a', query: '' });
});

t.test('two credentials are refused, wherever they are', async (t) => {
  for (const [headers, query] of [
    [['X-Api-Key', 'a', 'X-Api-Key', 'a'], ''],
    [['X-Api-Key', 'a'], '?api_key=a'],
    [[], '?api_key=a&api_key=a'],
    [['X-Api-Key', 'a', 'Authorization', 'Bearer b'], ''],
    [['X-Api-Key', 'a', 'Authorization', 'Basic YTpi'], ''],
    [['X-Api-Key', 'a'], '?access_token=b'],
  ] as const)
    t.equal(found(headers, query), 'credential_repeated', JSON.stringify([headers, query]));
  t.equal(found(['X-Api-Key', 'a'], '', 'access_token=b'), 'credential_repeated');
});

t.test('a scheme with places reads nothing from Authorization, and the others work as before', async (t) => {
  t.match(found(['Authorization', 'key a'], ''), { scheme: 'bearer', place: undefined, token: '' });
  t.match(found(['Authorization', 'Basic YTpi'], ''), { scheme: 'basic', token: 'Basic YTpi' });
  t.match(found(['Authorization', 'Bearer b'], '?x'), { scheme: 'bearer', token: 'b', query: '?x' });
  t.match(found([], '?access_token=b&x'), { scheme: 'bearer', place: 'query', token: 'b', query: '?x' });
});

t.test('headers of credentials are known in each spelling, parameters by their names', async (t) => {
  t.strictSame([...(credentialHeaders([basic, key]) ?? [])], ['x-api-key']);
  t.strictSame(credentialParameters([basic, key]), ['api_key']);
});

t.test('a spelling that only some servers read counts as a credential, and is never accepted', async (t) => {
  const told = (headers: readonly string[], query = '', target = '/') =>
    placedCredentials(headOf(headers, 'GET', target), query, [basic, key])?.found;
  const header = { scheme: 'key', place: 'header', token: '', fault: 'the request has another spelling of x-api-key' };
  t.strictSame(told(['X_Api_Key', 'a']), [header]);
  t.strictSame(told(['X-Api-Key', 'a']), [{ ...header, token: 'a', fault: undefined }]);
  const own = { ...header, token: 'a', fault: undefined };
  t.strictSame(told(['X-Api-Key', 'a', 'X_Api_Key', 'a']), [own, header], 'also with the same value');
  t.strictSame(told(['X-Api-Key', ' a\u00a0']), [{ ...own, token: ' a\u00a0' }, header], 'some servers strip it');
  const inQuery = { scheme: 'key', place: 'query', token: '', fault: 'the request has another spelling of api_key' };
  for (const query of ['?API_KEY=a', '?api_key[]=a', '?x=1;api_key=a', '?api.key=a'])
    t.strictSame(told([], query), [inQuery], query);
  t.strictSame(told([], '?api_key=a;b'), [{ ...inQuery, token: 'a;b', fault: undefined }, inQuery]);
  t.strictSame(told(['X-Other', 'a'], '?other=a'), []);
});

t.test('a credential that appears if a server decodes before it splits counts as well', async (t) => {
  const told = (target: string) => {
    const mark = target.indexOf('?');
    const query = mark === -1 ? '' : target.slice(mark);
    const faults = placedCredentials(headOf([], 'GET', target), query, [key])?.found;
    return faults?.map(({ token, fault }) => `${token}${fault === undefined ? '' : ' misspelt'}`);
  };
  t.strictSame(told('/a%3Fapi_key=k'), [' misspelt'], 'the query begins at an encoded sign');
  t.strictSame(told('/a%3fx=1?api_key=k'), ['k'], 'where it has no key, none is added');
  t.strictSame(told('/a%3Fapi_key=k?api_key=k'), ['k', ' misspelt']);
  t.strictSame(told('/a%23b?api_key=k'), ['k'], 'and where it ends before the key');
  t.strictSame(told('/a%3Fb'), []);
  t.strictSame(told('/a%2Fb?api_key=k'), ['k'], 'another encoded sign begins no query');
});

t.test('the log names a refused spelling', async (t) => {
  t.match(extract(headOf(['X_Api_Key', 'a']), '', bearer, undefined, [key]), {
    kind: 'refused',
    code: 'credential_misspelt',
    detail: 'the request has another spelling of x-api-key',
  });
});

t.test('two schemes may have places, and what each finds is removed from the query', async (t) => {
  const other = { name: 'other', places: [{ in: 'query', name: 'sig' }] } as const;
  t.strictSame(placedCredentials(headOf(), '?sig=s&a=1&api_key=k', [key, other]), {
    found: [
      { scheme: 'key', place: 'query', token: 'k', fault: undefined },
      { scheme: 'other', place: 'query', token: 's', fault: undefined },
    ],
    query: '?a=1',
  });
  t.strictSame(credentialParameters([key, basic, other]), ['api_key', 'sig']);
});
