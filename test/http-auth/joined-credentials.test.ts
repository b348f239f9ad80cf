import t from 'tap';
import { separatedCredentials } from '../../src/http-auth/joined-credentials.ts';
import fc from '../support/properties.ts';

t.test('a comma in front of another scheme separates two credentials', (t) => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['Bearer a', ['Bearer a']],
    ['Bearer a,Bearer b', ['Bearer a', 'Bearer b']],
    ['Basic YTpi, Bearer b', ['Basic YTpi', 'Bearer b']],
    ['Bearer a,Negotiate', ['Bearer a', 'Negotiate']],
    ['Bearer a==,\t Bearer b', ['Bearer a==', 'Bearer b']],
    ['Digest a="b", c=d,Bearer e', ['Digest a="b", c=d', 'Bearer e']],
    ['', ['']],
  ];
  for (const [value, wanted] of cases) t.strictSame(separatedCredentials(value), wanted, value);
  t.end();
});

t.test('a comma between parameters or in a quoted string separates nothing', (t) => {
  const cases = [
    'Digest username="a", realm="b", nc=00000001, qop = auth',
    'Digest realm="a, Bearer b", nonce="\\", Bearer c"',
    'Digest realm="never closed, Bearer b',
    'Digest a="b",, c="d",',
  ];
  for (const value of cases) t.strictSame(separatedCredentials(value), [value], value);
  t.end();
});

t.test('joined lines come apart again, and no byte of a credential is lost', (t) => {
  const name = fc.constantFrom('Bearer', 'Basic', 'Digest', 'x-own');
  const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,20}={0,2}$/);
  const parameters = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.string({ maxLength: 8 })), {
    minLength: 1,
  });
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, '')}"`;
  const credential = fc.oneof(
    fc.tuple(name, token).map(([scheme, rest]) => `${scheme} ${rest}`),
    fc
      .tuple(name, parameters)
      .map(([scheme, all]) => `${scheme} ${all.map(([key, text]) => `${key}=${quoted(text)}`).join(', ')}`),
  );
  const lines = fc.array(credential, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lines, fc.constantFrom(',', ', ', ',  '), (all, comma) => {
      t.strictSame(separatedCredentials(all.join(comma)), all);
    }),
  );
  t.end();
});
