import t from 'tap';
import { remembered } from '../../src/base/remembered.ts';

function counted(most?: number) {
  const computed: string[] = [];
  const find = remembered((text) => {
    computed.push(text);
    return text.startsWith('?') ? undefined : text.length;
  }, most);
  return { computed, find };
}

t.test('a computed value is reused, also a false one', async (t) => {
  const { computed, find } = counted();
  for (const text of ['abc', '', 'abc', '']) t.equal(find(text), text.length);
  t.strictSame(computed, ['abc', '']);
});

t.test('undefined is not cached', async (t) => {
  const { computed, find } = counted();
  for (const text of ['?', '?']) t.equal(find(text), undefined);
  t.strictSame(computed, ['?', '?']);
});

t.test('a text of more than 1,024 characters is not kept: others may choose it', async (t) => {
  const { computed, find } = counted();
  const [kept, long] = ['a'.repeat(1024), 'a'.repeat(1025)];
  for (const text of [kept, long, kept, long]) t.equal(find(text), text.length);
  t.strictSame(computed, [kept, long, long]);
});

t.test('one text more than the cache holds clears the cache', async (t) => {
  const { computed, find } = counted(2);
  for (const text of ['a', 'bb', 'ccc', 'ccc', 'a']) t.equal(find(text), text.length);
  t.strictSame(computed, ['a', 'bb', 'ccc', 'a']);
});
