import t from 'tap';
import { growth } from './growth.ts';

/** Looks at each byte as often as the callback says. */
function reading(bytes: Uint8Array, often: (length: number) => number): () => number {
  return () => {
    let sum = 0;
    for (let turn = often(bytes.length); turn > 0; turn--) for (const byte of bytes) sum += byte;
    return sum;
  };
}

t.test('work in proportion to its size and work in proportion to its square have different growths', async (t) => {
  const [short, long] = [new Uint8Array(500), new Uint8Array(1000)];
  const [once, asLong] = [() => 1, (length: number) => length];
  const linear = growth(reading(short, once), reading(long, once), 2);
  t.ok(linear <= 3, `×${linear.toFixed(1)}`);
  const square = growth(reading(short, asLong), reading(long, asLong), 2);
  t.ok(square > 3, `×${square.toFixed(1)}`);
});
