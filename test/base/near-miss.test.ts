import t from 'tap';
import { difference } from '../../src/base/near-miss.ts';

const issuer = 'https://id.example/realms/A';

t.test('a value that is almost right is reported with the difference', async (t) => {
  const cases: readonly [found: unknown, told: string | undefined][] = [
    [`${issuer}/`, 'a slash at the end'],
    ['https://id.example/realms/a', 'upper and lower case'],
    ['http://id.example/realms/A', 'http and https'],
    [` ${issuer}`, 'whitespace around it'],
    ['HTTP://id.example/realms/A/', 'a slash at the end and http and https'],
    [['other', `${issuer}/`], 'a slash at the end'],
  ];
  for (const [found, told] of cases)
    t.equal(difference(found, ['x', issuer]), `differs only by ${told}`, String(found));
  t.equal(difference(issuer, [`${issuer}/`]), 'differs only by a slash at the end', 'on either side');
});

t.test('a value that is right, very different, no text or very long is not reported', async (t) => {
  for (const found of [
    issuer,
    'https://evil.example',
    '',
    undefined,
    7,
    {},
    [[issuer]],
    `${issuer}/${'/'.repeat(600)}`,
  ])
    t.equal(difference(found, [issuer]), undefined, String(found).slice(0, 40));
  t.equal(difference(`${issuer}//`, [issuer]), undefined, 'two slashes are no slip');
});
