import t from 'tap';
import { decodeOctets } from '../../src/base/percent-octets.ts';
import fc from '../support/properties.ts';

const piece = fc.oneof(
  fc.constantFrom(
    '%',
    '%%',
    '%4',
    '%4g',
    '%G4',
    '%41',
    '%aF',
    '%Af',
    '%00',
    '%ff',
    '%2541',
    '+',
    'é',
    '\u0141',
    '%\u0141A',
    '%\u0131',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

t.test('each `%` with two hexadecimal digits is one octet, and every other character stays', async () => {
  const plain = (text: string) =>
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      (pieces) => decodeOctets(pieces.join('')) === plain(pieces.join('')),
    ),
    { numRuns: 5_000 },
  );
});

t.test('a decoded `%` does not begin another octet', async (t) => {
  t.equal(decodeOctets('%2541'), '%41');
  t.equal(decodeOctets('%25%34%31'), '%41');
});
