import t from 'tap';
import { readAnswerText, readEventData } from '../../../src/gateway/mcp/answer-text.ts';
import type { ListReader } from '../../../src/gateway/mcp/lists.ts';

const filtering: ListReader = { permits: ({ name }) => name === 'a', learn() {} };
const learning: ListReader = { permits: undefined, learn() {} };

t.test('a filtered answer keeps its numbers and its order', async (t) => {
  t.equal(
    readAnswerText('{ "id": 1.0, "result": {"ttlMs": 1e3, "tools": [{"name":"a","x":-0}, {"name":"b"}]} }', filtering),
    '{"id":1.0,"result":{"ttlMs":1e3,"tools":[{"name":"a","x":-0}]}}',
  );
});

t.test('a client gets only members that were read, even if a name occurs twice', async (t) => {
  const text = '{"result":{"tools":[{"name":"b"}]},"result":{"ok":1}}';
  t.equal(readAnswerText(text, filtering), '{"result":{"ok":1}}');
  t.equal(readAnswerText('{"result":{"tools":[{"name":"b"}],"t\\u006fols":[]}}', filtering), '{"result":{"tools":[]}}');
});

t.test('an answer that is only learned from stays as it is', async (t) => {
  const text = '{ "result": {"tools": [ ]} }';
  t.equal(readAnswerText(text, learning), text);
});

t.test('a text that is not JSON, or nested too deeply, is unreadable', async (t) => {
  for (const text of [
    '',
    'x',
    '{"result":NaN}',
    '{} {}',
    `{"result":{"tools":[${'['.repeat(1e5)}${']'.repeat(1e5)}]}}`,
  ])
    for (const reader of [filtering, learning]) t.equal(readAnswerText(text, reader), undefined);
  const deep = `{"result":{"tools":[{"name":"a","x":${'{"x":'.repeat(5000)}1${'}'.repeat(5000)}}]}}`;
  t.doesNotThrow(() => readAnswerText(deep, filtering));
});

t.test('an event with a message that cannot be read ends the stream, and other data passes', async (t) => {
  for (const text of ['{"result":{"tools":[],"x":NaN}}', ' [{"result":', '{} {}'])
    t.throws(() => readEventData(text, filtering), { message: 'the data of an event is not JSON' }, text);
  for (const text of ['', '/messages?sessionId=1', 'ping']) t.equal(readEventData(text, filtering), text);
  t.equal(readEventData('{"a":NaN}', learning), '{"a":NaN}');
});
