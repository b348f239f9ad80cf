import t from 'tap';
import { compileRewrite } from '../../../src/gateway/routing/rewrite.ts';

t.test('a prefix is removed and another added, without a slash at their ends', async (t) => {
  const cases: readonly [rule: object, path: string, expected: string][] = [
    [{}, '/a', '/a'],
    [{ strip_prefix: '/a' }, '/a/b', '/b'],
    [{ strip_prefix: '/a/' }, '/a/b', '/b'],
    [{ strip_prefix: '/a' }, '/a', '/'],
    [{ strip_prefix: '/a' }, '/a/', '/'],
    [{ add_prefix: '/v1' }, '/a', '/v1/a'],
    [{ add_prefix: '/v1/' }, '/a', '/v1/a'],
    [{ strip_prefix: '/a', add_prefix: '/v1' }, '/a', '/v1'],
    [{ strip_prefix: '/' }, '/a', '/a'],
  ];
  for (const [rule, path, expected] of cases)
    t.equal(compileRewrite(rule)(path), expected, `${path} ${JSON.stringify(rule)}`);
});

t.test('a path that becomes doubtful through the rewrite is refused (advisory 23)', async (t) => {
  const refused = compileRewrite({ strip_prefix: '/a' })('/a//b');
  t.strictSame(refused, { kind: 'refused', code: 'target_empty_segment', detail: 'after rewriting', cause: 'rewrite' });
});

t.test('a path that is shorter than the prefix has nothing below it', async (t) => {
  t.equal(compileRewrite({ strip_prefix: '/a/b' })('/a'), '/');
  t.equal(compileRewrite({ strip_prefix: '/a/b/c', add_prefix: '/v1' })('/a'), '/v1');
});
