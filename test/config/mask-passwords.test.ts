import t from 'tap';
import { maskPasswords } from '../../src/config/yaml/frame.ts';
import { random } from '../support/random.ts';

const cases: readonly (readonly [text: string, shown: string])[] = [
  ['postgres://u:secret@h/d', 'postgres://u:******@h/d'],
  ['postgres://u:pa@s3cret@h/d', 'postgres://u:*********@h/d'],
  ['redis://:secret@h:1', 'redis://:******@h:1'],
  ['a://u:one@h b://u:two@h', 'a://u:***@h b://u:***@h'],
  ['postgres//me:secret@h/d', 'postgres//me:******@h/d'],
  ['postgres:/me:secret@h/d', 'postgres:/me:******@h/d'],
  ['postgres:me:secret@h/d', 'postgres:me:******@h/d'],
  ['https:bob:se:cret@host', 'https:bob:*******@host'],
  ['POSTGRES:u:pw@h', 'POSTGRES:u:**@h'],
  ['https//bob:se/cret@host', 'https//bob:*******@host'],
  ['image: registry/app:1.2@sha256', 'image: registry/app:1.2@sha256'],
  ['postgres://h/d?user=u&password=s3cret&x=1', 'postgres://h/d?user=u&password=******&x=1'],
  ['"postgres://h/d?sslpassword=s3cret"', '"postgres://h/d?sslpassword=******"'],
  ['https://h/a?scope=s@t', 'https://h/a?scope=s@t'],
  ['http://127.0.0.1:8080/a@b', 'http://127.0.0.1:8080/a@b'],
];

t.test('a password in a URL becomes asterisks, up to the last @ of its authority and in its query', (t) => {
  for (const [text, shown] of cases) t.equal(maskPasswords(text), shown);
  t.end();
});

t.test("no password of a store's URL is shown, even with characters that should be encoded", async (t) => {
  const dice = random(63);
  for (let round = 0; round < 5_000; round++) {
    const password = dice.text('abcXYZ0189/+=?#:%&!~.-_', 8 + dice.below(40));
    const scheme = dice.pick(['postgres', 'postgresql', 'redis', 'rediss']);
    const shown = maskPasswords(`storage: ${scheme}://${dice.pick(['', 'me'])}:${password}@db.example/x # y`);
    if (shown.includes(password)) t.fail(password);
  }
});
