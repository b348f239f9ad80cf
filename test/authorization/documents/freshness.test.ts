import t from 'tap';
import { freshFor } from '../../../src/authorization/documents/freshness.ts';

const limits = { ttl: 3_600_000, max_ttl: 86_400_000 };
const minutes = (headers: Record<string, string>) => freshFor(headers, limits) / 60_000;
const date = 'Thu, 01 Jan 2026 00:00:00 GMT';

const cases: readonly (readonly [title: string, headers: Record<string, string>, minutes: number])[] = [
  ['nothing', {}, 60],
  ['another directive', { 'cache-control': 'public' }, 60],
  ['max-age', { 'cache-control': 'public, max-age=1200' }, 20],
  ['max-age in capitals and quotes', { 'cache-control': 'Max-Age="1200"' }, 20],
  ['max-age with Age', { 'cache-control': 'max-age=1200', age: '600' }, 10],
  ['max-age that is over', { 'cache-control': 'max-age=1200', age: '9999999' }, 5],
  ['max-age beside Expires', { 'cache-control': 'max-age=1200', date, expires: date }, 20],
  ['a short max-age', { 'cache-control': 'max-age=1' }, 5],
  ['a long max-age', { 'cache-control': 'max-age=31536000' }, 1440],
  ['an endless max-age', { 'cache-control': `max-age=${'9'.repeat(400)}` }, 1440],
  ['a malformed max-age', { 'cache-control': 'max-age=-1' }, 60],
  ['no-store', { 'cache-control': 'no-store, max-age=31536000' }, 5],
  ['no-cache', { 'cache-control': 'max-age=1200, no-cache' }, 5],
  ['Expires', { date, expires: 'Thu, 01 Jan 2026 00:30:00 GMT' }, 30],
  ['Expires in the past', { date, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }, 5],
  ['a malformed Expires', { date, expires: '0' }, 5],
];

t.test('an answer is used for as long as its headers say, between 5 minutes and the limit', async (t) => {
  for (const [title, headers, expected] of cases) t.equal(minutes(headers), expected, title);
});
