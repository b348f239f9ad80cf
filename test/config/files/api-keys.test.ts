import t from 'tap';
import { formatApiKey, parseApiKeys } from '../../../src/config/files/api-keys.ts';

const [HASH, OTHER] = ['A', 'B'].map((letter) => letter.repeat(43)) as [string, string];

t.test('a line has id, hash, client, end and scopes; comments and empty lines are skipped', async (t) => {
  const { users, faults } = parseApiKeys(
    `\ufeff# of meters\n\nghk_abc sha256:${HASH} meter-7 2027-01-31T12:00:00Z orders.read a,b\r\nold hmac:${HASH} https://a.example/x -\n`,
  );
  t.strictSame(faults, []);
  t.strictSame(users, [
    {
      id: 'ghk_abc',
      kind: 'sha256',
      hash: HASH,
      client: 'meter-7',
      expiresAt: Date.UTC(2027, 0, 31, 12) / 1000,
      scopes: ['orders.read', 'a,b'],
    },
    { id: 'old', kind: 'hmac', hash: HASH, client: 'https://a.example/x', expiresAt: undefined, scopes: [] },
  ]);
});

t.test('a written file reads back unchanged', async (t) => {
  const { users } = parseApiKeys(`a sha256:${HASH} c 2027-01-31 s\nb sha256:${OTHER} c - s\n`);
  t.strictSame(parseApiKeys(users.map(formatApiKey).join('\n')).users, users);
});

const bad: readonly (readonly [line: string, message: RegExp])[] = [
  ['ghk_secret', /not a line of an API key/],
  ['a sha256:short c -', /second field/],
  [`a md5:${HASH} c -`, /second field/],
  [`a sha256:${HASH} c soon`, /`soon` is not a time/],
  [`a sha256:${HASH} c 2027-13-01`, /is not a time/],
  [`a sha256:${HASH} c 2027-02-31`, /`2027-02-31` is not a time/],
  [`a sha256:${HASH} cé -`, /name of a client/],
  [`a sha256:${HASH} c - "x"`, /RFC 6749/],
  [`ok sha256:${OTHER} c -`, /the id `ok` occurs twice/],
  [`new sha256:${HASH} c -`, /the key `new` occurs twice/],
];

for (const [line, message] of bad)
  t.test(`a bad line is reported with its number: ${message.source}`, async (t) => {
    const { faults } = parseApiKeys(`ok sha256:${HASH} c -\n${line}\n`);
    const found = /stands/.test(message.source) || !line.includes(HASH) ? faults : faults.slice(0, 1);
    t.match(found, [{ line: 2, message, hint: /gatehouse api-key create/ }]);
  });

t.test('a line with a key in place of its hash is not quoted', async (t) => {
  const { faults } = parseApiKeys('a ghk_0123456789 c -\n');
  t.notOk(JSON.stringify(faults).includes('ghk_0123456789'));
});
