import t from 'tap';
import { algorithmNames, algorithms } from '../../src/jwt/algorithms.ts';

t.test('none is not an algorithm, in any spelling', async (t) => {
  for (const name of ['none', 'None', 'NONE', 'nOnE', '']) t.notOk(Object.hasOwn(algorithms, name), name);
});

t.test('every RSA algorithm requires 2048 bits, and only HMAC accepts a shared secret', async (t) => {
  for (const name of algorithmNames) {
    const { kty, minimumBits, hmac } = algorithms[name];
    t.equal(minimumBits, kty === 'RSA' ? 2048 : undefined, name);
    t.equal(hmac !== undefined, kty === 'oct', name);
  }
});
