import t from 'tap';
import { parseTrustedProxies } from '../../src/base/forwarded-for.ts';
import fc, { tries } from '../support/properties.ts';

/** As written → the address, if it is one. */
const hops: Readonly<Record<string, string | undefined>> = {
  '127.0.0.1': '127.0.0.1',
  ' 10.1.2.3 ': '10.1.2.3',
  '192.0.2.7:8080': '192.0.2.7',
  '[::1]:80': '::1',
  '2001:db8::7': '2001:db8::7',
  '': undefined,
  ' ': undefined,
  unknown: undefined,
};
const trusted = parseTrustedProxies(['127.0.0.0/8', '10.0.0.0/8', '::1/128']);

t.test('over all lines together the hops count from the right, up to the first untrusted one', (t) => {
  const line = fc.array(fc.constantFrom(...Object.keys(hops)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      const chain: string[] = [];
      for (const written of lines.flat().reverse()) {
        const hop = hops[written];
        if (hop === undefined) break;
        chain.unshift(hop);
        if (!trusted.includes(hop)) break;
      }
      t.strictSame(trusted.believed(lines.map((items) => items.join(','))), chain);
    }),
    tries(500, 20_000),
  );
  t.end();
});
