import t from 'tap';
import { ReadObject } from '../../src/base/read-object.ts';
import { readStrictJson } from '../../src/base/strict-json.ts';
import fc, { tries } from '../support/properties.ts';

/** Reads many random texts in .ci/run: 22 s on a busy machine. */
t.setTimeout(120_000);

const read = (text: string | Buffer) => readStrictJson(Buffer.isBuffer(text) ? text : Buffer.from(text));

function detail(text: string | Buffer): string {
  const result = read(text);
  return result.kind === 'fault' ? result.detail.replace(/ \(character \d+\)$/, '') : 'none';
}

t.test('a value that every reader understands in the same way is what JSON.parse returns', async (t) => {
  const holds = fc.property(fc.jsonValue({ maxDepth: 10 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
    const text = JSON.stringify(value, undefined, space);
    const result = read(text);
    const isSame = (found: unknown) => JSON.stringify(found) === JSON.stringify(JSON.parse(text));
    return text.isWellFormed() && !text.includes('\\ud') ? result.kind === 'json' && isSame(result.value) : true;
  });
  fc.assert(holds, tries(300, 8_000));
  t.pass();
});

t.test('bytes that are not UTF-8 are a fault, wherever they are', async (t) => {
  for (const bytes of ['"\xff"', '"\xc0\xae"', '"\xed\xa0\x80"', '"\xf4\x90\x80\x80"', '{"\xe9":1}', '"\xe2\x82'])
    t.equal(detail(Buffer.from(bytes, 'latin1')), 'it is not UTF-8', bytes);
  t.equal(detail(Buffer.from('{}', 'utf16le')), 'it is not one JSON value');
});

t.test('a string with an escape may be of any length', async (t) => {
  const long = 'a'.repeat(16 * 1024 * 1024);
  t.equal(read(`{"x":"\\n${long}"}`).kind, 'json');
  t.equal(detail(`{"x":"\\n${long}`), 'it is not one JSON value');
  t.equal(detail(`{"x":"\\n${long}\n"}`), 'it is not one JSON value');
});

/** Around the length after which four bytes are read at once. */
const lengths = [...Array(12).keys(), ...Array.from({ length: 24 }, (_, index) => 56 + index), 200];

t.test('a special character is noticed wherever it is in a string, and wherever the string is in memory', async (t) => {
  const places = lengths.flatMap((length) => [0, 1, length - 5, length - 1, length].map((at) => ({ length, at })));
  const valid = places.filter(({ length, at }) => at >= 0 && at <= length);
  for (const special of ['\0', '\x1f', '\n', '"', '\\', '\\n', '\x7f', ' '])
    for (let offset = 0; offset < 4; offset++) {
      const wrong = valid.filter(({ length, at }) => {
        const text = `["${'x'.repeat(at)}${special}${'\u00fc'.repeat(length - at)}"]`;
        const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).subarray(offset);
        return (detail(bytes) === 'none') !== parses(text);
      });
      t.strictSame(wrong, [], `${JSON.stringify(special)}, offset ${offset}`);
    }
});

t.test('anything that is not exactly one value of RFC 8259 is a fault', async (t) => {
  for (const text of [
    '',
    ' ',
    '{} {}',
    '{}x',
    '{}\0',
    '\ufeff{}',
    '[1,]',
    "{'a':1}",
    '{a:1}',
    '// a\n{}',
    'NaN',
    '-Infinity',
    '01',
    '+1',
    '.5',
    '"\n"',
    '"\\x41"',
    '\u00a0{}',
    '{"a":1',
  ])
    t.equal(detail(text), 'it is not one JSON value', JSON.stringify(text));
});

const twice: readonly string[] = [
  '{"a":1,"a":1}',
  '{"a":1,"b":2,"a":3}',
  '{"a":1,"\\u0061":2}',
  '{"\\u00e9":1,"\u00e9":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
  '{"\\\\":1,"\\u005c":2}',
  '{"/":1,"\\/":2}',
  '[{"x":{"a":[],"a":{}}}]',
  '{"b":{"a":1},"a":1,"a":2}',
  '{"a":{"b":[1,{}]},"c":"{","a":2}',
];

t.test('a name that occurs twice in one object is a fault, in whatever form it is written', async (t) => {
  for (const text of twice) t.equal(detail(text), 'an object contains the same name twice', text);
});

t.test('equal names in different objects, and equal texts that are no names, are fine', async (t) => {
  for (const text of [
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":"a"}}}',
    '{"a":["a","a",{"a":"a"},"a"],"b":"a"}',
    '{"a":"\\"a\\":1,","b":"a"}',
    '{"a":"\\\\","b":"\\\\\\"","c":"a"}',
    '{"a":"a","A":1}',
    '["a","a"]',
    '"a"',
  ])
    t.equal(detail(text), 'none', text);
});

/** Spellings of few names, so that many are equal. The last ones are no strings of JSON. */
const spellings = [
  'a',
  'b',
  'ab',
  '',
  '\\u0061',
  'a\\"',
  '\\\\n',
  '\\n',
  'a\\u0062',
  '\u00e9',
  '\\u00e9',
  'a"',
  '\n',
  '\\',
];

t.test('in lists of objects, a name is found twice exactly where it is, whatever came before', async (t) => {
  const names = fc.array(fc.constantFrom(...spellings, ...spellings.slice(0, 11)), { maxLength: 20 });
  const holds = fc.property(fc.array(names, { maxLength: 6 }), fc.integer({ min: 1, max: 6 }), (objects, depth) => {
    const written = objects.map((each) => `{${each.map((name, index) => `"${name}":${index}`).join(',')}}`);
    const text = `${'['.repeat(depth)}${written.join(',')}${']'.repeat(depth)}`;
    const found = detail(text);
    if (!parses(text)) return found !== 'none';
    const isUnique = (each: readonly string[]) =>
      new Set(each.map((name) => JSON.parse(`"${name}"`))).size === each.length;
    return found === (objects.every(isUnique) ? 'none' : 'an object contains the same name twice');
  });
  fc.assert(holds, tries(1000, 25_000));
  t.pass();
});

t.test('a number is what JSON.parse takes for one, at the end of the text and before any character', async (t) => {
  const digits = fc.array(fc.constantFrom('0', '1', '9', '-', '.', 'e', 'E', '+'), { minLength: 1, maxLength: 6 });
  const holds = fc.property(digits, fc.constantFrom('', ' ', 'x', ',1]'), (pieces, end) => {
    const text = end === ',1]' ? `[${pieces.join('')}${end}` : pieces.join('') + end;
    return (detail(text) === 'none') === parses(text);
  });
  fc.assert(holds, tries(500, 12_000));
  t.pass();
});

t.test('half of a surrogate pair is a fault in names and texts, and a whole pair is not', async (t) => {
  for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '{"\\ud83d":1}', '"\\ud83d\\\\ude00"'])
    t.equal(detail(text), 'a string contains half of a surrogate pair', text);
  for (const text of ['"\\ud83d\\ude00"', '"\u{1f600}"', '"\\\\ud800"']) t.equal(detail(text), 'none', text);
});

t.test('64 levels are read, and 65 are a fault', async (t) => {
  const nested = (levels: number, [open, close]: readonly [string, string]) =>
    `${open.repeat(levels)}${close === '}' ? '1' : ''}${close.repeat(levels)}`;
  for (const kind of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    t.equal(detail(nested(64, kind)), 'none');
    t.equal(detail(nested(65, kind)), 'it is nested more than 64 levels deep');
  }
  t.equal(detail(`[${'[],'.repeat(100)}[]]`), 'none');
  t.equal(detail(`"${'['.repeat(100)}"`), 'none');
  t.equal(detail('['.repeat(500_000) + ']'.repeat(500_000)), 'it is nested more than 64 levels deep');
});

const tokens = [
  ...['{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '\r', '"', '\\', '/', '\u00e9', '\u0000', '\u00a0', '\ufeff'],
  ...['"a"', '"b"', '""', '"\\u0061"', '"\\n"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\x"', '"\\u00g0"', '"a\nb"'],
  ...['0', '1', '-', '+', '.', 'e', 'E', '12', '-0', '1.5', '1e9', 'true', 'false', 'null', 'nul', 'NaN'],
];
const values = ['{"a":1}', '[1,"a"]', '{"a":{"b":[]},"c":-1.5e+3}', '"a"', '0', '[[],{}]'];

t.test('exactly the texts that JSON.parse accepts are read, except those that readers read differently', async (t) => {
  const piece = fc.oneof(fc.constantFrom(...tokens), fc.constantFrom(...values));
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const counts = { read: 0, different: 0, invalid: 0 };
  const holds = fc.property(text, (each) => {
    const found = detail(each);
    const isJson = parses(each);
    if (found === 'it is not one JSON value') counts.invalid++;
    else if (found === 'none') counts.read++;
    else counts.different++;
    return found === 'none' ? isJson : found === 'it is not one JSON value' ? !isJson : true;
  });
  fc.assert(holds, tries(1000, 40_000));
  t.comment(JSON.stringify(counts));
  t.ok(counts.read > 50 && counts.invalid > 50);
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

t.test('the members of an object are those that JSON.parse finds', async (t) => {
  const holds = fc.property(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    fc.constantFrom(0, 1),
    (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const result = read(text);
      if (result.kind === 'fault') return !text.isWellFormed() || text.includes('\\ud');
      const { object } = result;
      const expected: Record<string, unknown> = JSON.parse(text);
      return Object.keys(expected).every((name) => {
        const member = object?.get(name);
        const found = member instanceof ReadObject ? member.value : member;
        return object?.has(name) && JSON.stringify(found) === JSON.stringify(expected[name]);
      });
    },
  );
  fc.assert(holds, tries(500, 5_000));
  t.pass();
});
