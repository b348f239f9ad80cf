import t from 'tap';
import { McpRules } from '../../../src/gateway/mcp/rules.ts';
import fc, { tries } from '../../support/properties.ts';

function found(texts: readonly string[], method: string, name?: string): string {
  const rules = new McpRules<undefined>();
  for (const text of texts) rules.add(text, undefined);
  const match = rules.find({ method, name });
  return match.kind === 'rule' ? match.rule.text : match.kind;
}

t.test('the most specific rule applies, in whatever order the file lists them', async (t) => {
  const texts = [
    '*',
    'tools/*',
    'tools/call',
    'tools/call *',
    'tools/call delete_*',
    'tools/call delete_all_*',
    'tools/call delete_user',
    '* delete_user',
  ];
  const expected: Readonly<Record<string, readonly [string, string?]>> = {
    '*': ['ping'],
    'tools/*': ['tools/list'],
    'tools/call *': ['tools/call', 'echo'],
    'tools/call delete_*': ['tools/call', 'delete_group'],
    'tools/call delete_all_*': ['tools/call', 'delete_all_users'],
    'tools/call delete_user': ['tools/call', 'delete_user'],
    '* delete_user': ['prompts/get', 'delete_user'],
  };
  for (const order of [texts, texts.toReversed()])
    for (const [rule, [method, name]] of Object.entries(expected)) t.equal(found(order, method, name), rule);
  t.equal(found(['tools/call delete_*', 'tools/call'], 'tools/call', 'echo'), 'tools/call');
  t.equal(found(['tools/call'], 'ping'), 'none');
  t.equal(found([], 'ping'), 'none');
});

t.test('a name may contain spaces, and the first space of a rule ends its method', async (t) => {
  t.equal(found(['tools/call delete all*'], 'tools/call', 'delete all users'), 'tools/call delete all*');
});

t.test('a name that another server reads as the name of another rule is unclear', async (t) => {
  const texts = ['tools/call', 'tools/call delete_*', 'tools/call drop'];
  for (const name of ['Delete_user', 'DELETE_USER', ' delete_user', 'drop ', 'DROP', '\uff44rop', 'd\u0130rop'])
    t.equal(found([...texts, 'tools/call dirop'], 'tools/call', name), 'unclear', name);
  t.equal(found(texts, 'tools/call', 'dropped'), 'tools/call');
  t.equal(found(['*', 'vendor/do'], 'Vendor/Do'), 'unclear');
  t.equal(found(['tools/call'], 'tools/call', 'DROP '), 'tools/call', 'no rule depends on the name');
});

t.test('of two rules that differ only in case, the one that fits exactly applies', async (t) => {
  const texts = ['tools/call', 'tools/call get', 'tools/call Get', 'tools/call set_*', 'tools/call Set_*'];
  for (const name of ['get', 'Get']) t.equal(found(texts, 'tools/call', name), `tools/call ${name}`);
  for (const name of ['set_a', 'Set_a']) t.equal(found(texts, 'tools/call', name), `tools/call ${name.slice(0, 4)}*`);
  for (const name of ['GET', 'SET_a']) t.equal(found(texts, 'tools/call', name), 'unclear');
});

const files = [
  'resources/read',
  'resources/read file:///srv/*',
  'resources/read file:///etc/*',
  'resources/read file:///srv/secret.txt',
  'resources/read docs://team/*',
];

t.test('a plain URI has the rule of its own text', async (t) => {
  const read = (uri: string) => found(files, 'resources/read', uri);
  t.equal(read('file:///srv/a'), 'resources/read file:///srv/*');
  t.equal(read('file:///srv/a%20b/%C3%A9+%2B.txt'), 'resources/read file:///srv/*');
  t.equal(read('file:///etc/passwd'), 'resources/read file:///etc/*');
  t.equal(read('file:///srv/secret.txt'), 'resources/read file:///srv/secret.txt');
  t.equal(read('docs://team/plan?page=2#top'), 'resources/read docs://team/*');
  t.equal(read('file:///srv/%EF%BF%BD'), 'resources/read file:///srv/*', 'U+FFFD is a character like others');
  t.equal(read('docs://other/plan'), 'resources/read');
  t.equal(read('http://user@127.0.0.1:8080/a;b?c=d&e=%2F'), 'resources/read');
  t.equal(read('greeting'), 'resources/read');
  t.equal(
    found(['resources/read file:///my%20docs/*', 'resources/read'], 'resources/read', 'file:///my%20docs/a'),
    'resources/read file:///my%20docs/*',
  );
  t.equal(found(['resources/read a:b%2Ac', 'resources/read'], 'resources/read', 'a:b%2Ac'), 'resources/read a:b%2Ac');
});

/** Each is a way to the file of another rule, for some server. */
const unclear: Readonly<Record<string, string>> = {
  'dot segments': 'file:///srv/../etc/passwd',
  'encoded dot segments': 'file:///srv/%2e%2e/etc/passwd',
  'dot segments, encoded twice': 'file:///srv/%252e%252e/etc/passwd',
  'dot segments, encoded three times': 'file:///srv/%25252e%25252e/etc/passwd',
  'dot segments after an empty one': 'file:///srv//../etc/passwd',
  'an encoded slash': 'file:///srv/..%2fetc/passwd',
  'a backslash': 'file:\\\\\\etc\\passwd',
  'an encoded backslash': 'file:///srv/..%5cetc%5cpasswd',
  'another case of the scheme': 'FILE:///etc/passwd',
  'another case of the path': 'file:///ETC/passwd',
  'compatible letters': 'file:///\uff45tc/passwd',
  'dots that are compatible with two dots': 'file:///srv/\uff0e\u2024/etc/passwd',
  'one character for two dots': 'file:///srv/\u2025/etc/passwd',
  'a compatible slash': 'file:///srv/..\uff0fetc/passwd',
  'compatible dots, encoded': 'file:///srv/%EF%BC%8E%EF%BC%8E/etc/passwd',
  'a compatible percent sign': 'file:///srv/\uff052e\uff052e/etc/passwd',
  'an encoded letter': 'file:///%65tc/passwd',
  'an encoded letter before an invalid encoding': 'file:///%65tc/passwd?%',
  'an encoded letter before invalid UTF-8': 'file:///%65tc/passwd#%ff',
  'an overlong dot': 'file:///srv/%c0%ae%c0%ae/etc/passwd',
  'an encoding of .NET': 'file:///%u0065tc/passwd',
  'a blank before the scheme': ' file:///etc/passwd',
  'a no-break space before the scheme': '\u00a0file:///etc/passwd',
  'one slash': 'file:/etc/passwd',
  'no slash': 'file:etc/passwd',
  'four slashes': 'file:////etc/passwd',
  localhost: 'file://localhost/etc/passwd',
  'another host': 'file://127.0.0.1/etc/passwd',
  'a query': 'file:///srv/secret.txt?a',
  'a fragment': 'file:///srv/secret.txt#a',
  'an encoded question mark': 'file:///srv/secret.txt%3fa',
  'an encoded NUL': 'file:///srv/secret.txt%00.png',
  'a dot at the end': 'file:///srv/secret.txt.',
  'a space at the end': 'file:///srv/secret.txt%20',
  'a stream of Windows': 'file:///srv/secret.txt::$DATA',
  'a path without a scheme': '/etc/passwd',
  'a relative path': 'srv/../etc/passwd',
  'a user': 'docs://user@team/plan',
  'a host in another case': 'docs://Team/plan',
};

t.test('a URI that another server reads as the URI of another rule is unclear', async (t) => {
  for (const [what, uri] of Object.entries(unclear)) t.equal(found(files, 'resources/read', uri), 'unclear', what);
});

/** Itself or in its compatible form. */
function isSpecial(character: string): boolean {
  return character !== '.' && /[./\\?#%:@\p{C}\p{Z}]/u.test(character.normalize('NFKC'));
}

t.test('an ordinary URI is never unclear, however its names are written', async (t) => {
  const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) =>
    Array.from(text, (each) => (isSpecial(each) ? '_' : each))
      .join('')
      .replace(/^\.+$/, '_'),
  );
  const written = fc
    .tuple(names, fc.boolean())
    .map(([name, isEncoded]) => (isEncoded ? encodeURIComponent(name) : name));
  const uris = fc.array(written, { minLength: 1, maxLength: 4 }).map((path) => `file:///srv/x/${path.join('/')}`);
  const holds = fc.property(uris, (uri) => found(files, 'resources/read', uri) === 'resources/read file:///srv/*');
  fc.assert(holds, tries(500, 20_000));
  t.pass();
});
