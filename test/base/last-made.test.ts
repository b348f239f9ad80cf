import t from 'tap';
import { LastMade } from '../../src/base/last-made.ts';
import fc, { tries } from '../support/properties.ts';

t.test(
  'the last value is reused only for the same key, part by part, and is created again for another key',
  async () => {
    const key = fc.array(fc.constantFrom('a', 1, undefined, Number.NaN), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const last = new LastMade<readonly unknown[]>();
        let before: readonly unknown[] | undefined;
        return keys.every((each) => {
          const isSame = before !== undefined && each.every((part, index) => part === before?.[index]);
          const made = last.for(each, () => each);
          const isRight = isSame ? made === before : made === each;
          before = made;
          return isRight;
        });
      }),
      tries(200, 2000),
    );
  },
);

t.test('a value whose creation failed is not cached', async (t) => {
  const last = new LastMade<number>();
  t.throws(() =>
    last.for([1], () => {
      throw new Error('no');
    }),
  );
  t.equal(
    last.for([1], () => 7),
    7,
  );
});
