import t from 'tap';
import { readStrictJson } from '../../../src/base/strict-json.ts';
import { readAnswerText } from '../../../src/gateway/mcp/answer-text.ts';
import { EventStream } from '../../../src/gateway/mcp/event-stream.ts';
import { readMessage } from '../../../src/gateway/mcp/message.ts';
import { McpRules } from '../../../src/gateway/mcp/rules.ts';
import { growth } from '../../support/growth.ts';

/** Ten times the length must not take a hundred times the time. */
const MOST = 40;

function strictJson(text: string): () => unknown {
  const bytes = Buffer.from(text);
  return () => readStrictJson(bytes);
}

/** Texts of about this many characters, each with one part that could be read again and again. */
const texts: Readonly<Record<string, (length: number) => string>> = {
  'different names': (length) => `{${Array.from({ length: length / 10 }, (_, index) => `"n${index}":1`).join(',')}}`,
  'numbers as names': (length) =>
    `{${Array.from({ length: length / 10 }, (_, index) => `"${index * 7}":1`).join(',')}}`,
  'different objects': (length) =>
    `[${Array.from({ length: length / 10 }, (_, index) => `{"n${index}":1}`).join(',')}]`,
  backslashes: (length) => `"${'\\\\'.repeat(length / 2)}"`,
  'escaped quotes': (length) => `"${'\\"'.repeat(length / 2)}"`,
  'short texts': (length) => `[${Array.from({ length: length / 3 }, () => '""').join(',')}]`,
  'one number': (length) => `[${'1'.repeat(length)}]`,
  'open brackets': (length) => '['.repeat(length),
  'nested brackets': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  blanks: (length) => `${' '.repeat(length)}1`,
};

for (const [what, text] of Object.entries(texts))
  t.test(`a long body takes time in proportion to its length: ${what}`, async (t) => {
    const times = growth(strictJson(text(10_000)), strictJson(text(100_000)), 10);
    t.ok(times < MOST, String(times));
  });

t.test('a long line of an event stream in small chunks takes time in proportion to its length', async (t) => {
  const read = (bytes: number) => () => {
    const stream = new EventStream({ data: (text) => text, id: (id) => id, passesLong: false }, 1_000_000);
    const chunk = Buffer.from('a');
    for (let at = 0; at < bytes; at++) stream.push(chunk);
    return stream.end();
  };
  t.ok(growth(read(2000), read(20_000), 10) < MOST);
});

const rules = new McpRules<undefined>();
for (const text of ['resources/read', 'resources/read file:///etc/*', 'tools/call delete_*'])
  rules.add(text, undefined);

const names: Readonly<Record<string, string>> = {
  slashes: '/',
  'dot segments': '../',
  'encoded dots': '%2e',
  'encoded percent signs': '%25',
  'invalid encodings': '%',
  dots: '.',
  spaces: ' ',
  backslashes: '\\',
  'signs of a user': '@',
  colons: ':',
  'letters that become long': '\ufdfa',
  'combining marks': '\u0301',
};

for (const [what, part] of Object.entries(names))
  t.test(`a long name takes time in proportion to its length: ${what}`, async (t) => {
    const find = (length: number) => {
      const name = `file:///${part.repeat(length / part.length)}a`;
      return () => rules.find({ method: 'resources/read', name });
    };
    const times = growth(find(800), find(8000), 10);
    t.ok(times < MOST, String(times));
  });

t.test('a message with very many or very long resources is refused before their rules are searched', async (t) => {
  const message = (many: number, uri = 'a:b') =>
    Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: Array(many).fill(uri) } },
      }),
    );
  t.equal(readMessage(message(100_000)).kind, 'fault');
  t.equal(readMessage(message(1024)).kind, 'request');
  t.equal(readMessage(message(640, 'file:'.padEnd(100, 'a'))).kind, 'request');
  t.equal(readMessage(message(660, 'file:'.padEnd(100, 'a'))).kind, 'fault');
});

t.test('a long list takes time in proportion to its length', async (t) => {
  const list = (items: number) => {
    const tools = Array.from({ length: items }, (_, index) => ({ name: `delete_${index}`, x: [1.0, { a: {} }] }));
    const text = JSON.stringify({ result: { tools } });
    const permits = (operation: Parameters<typeof rules.find>[0]) => rules.find(operation).kind === 'none';
    return () => readAnswerText(text, { permits, learn() {} });
  };
  t.ok(growth(list(200), list(2000), 10) < MOST);
});
