import t from 'tap';
import { buildSeal } from '../../../src/storage/engine/seal.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const plain = Buffer.from('private');

t.test('a value that was sealed for a purpose opens for it', async (t) => {
  const seal = buildSeal([first]);
  const sealed = seal.seal(plain, 'a');
  t.strictSame(Buffer.from(seal.open(sealed, 'a')), plain);
  t.notSame(seal.seal(plain, 'a'), sealed, 'never twice the same');
});

t.test('it does not open for another purpose, with another key, or with any bit changed', async (t) => {
  const seal = buildSeal([first]);
  const sealed = seal.seal(plain, 'a');
  t.throws(() => seal.open(sealed, 'b'), { name: 'StorageUnusable' });
  t.throws(() => buildSeal([second]).open(sealed, 'a'), {
    name: 'StorageUnusable',
    message: /no encryption key opens a/,
  });
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.throws(() => seal.open(changed, 'a'), { name: 'StorageUnusable' }, `byte ${at}`);
  }
  for (const length of [0, 1, 9, 20, 36, 37])
    t.throws(() => seal.open(sealed.subarray(0, length), 'a'), { name: 'StorageUnusable' }, `${length} bytes`);
});

t.test('the first key seals, all open', async (t) => {
  const sealed = buildSeal([first]).seal(plain, 'a');
  const both = buildSeal([second, first]);
  t.strictSame(Buffer.from(both.open(sealed, 'a')), plain);
  t.throws(() => buildSeal([first]).open(both.seal(plain, 'a'), 'a'));
});
