import t from 'tap';
import { type ListReader, readLists } from '../../../src/gateway/mcp/lists.ts';
import type { McpOperation } from '../../../src/gateway/mcp/message.ts';

const permitsOnly = (...allowed: readonly string[]): ListReader & { readonly learned: string[] } => {
  const learned: string[] = [];
  const permits = ({ method, name }: McpOperation) =>
    allowed.includes(name === undefined ? method : `${method} ${name}`);
  return { permits, learn: (name) => learned.push(name), learned };
};

const answer = (result: object) => ({ jsonrpc: '2.0', id: 1, result });

t.test('a list contains only what the caller may use, and the rest of the answer stays', async (t) => {
  const reader = permitsOnly('tools/call a', 'prompts/get p', 'resources/read file:///a', 'resources/read file:///{x}');
  const read = (result: object) => (readLists(answer(result), reader) as { result: object }).result;
  t.strictSame(read({ tools: [{ name: 'a', x: 1 }, { name: 'b' }], nextCursor: 'c', ttlMs: 5 }), {
    tools: [{ name: 'a', x: 1 }],
    nextCursor: 'c',
    ttlMs: 5,
  });
  t.strictSame(read({ prompts: [{ name: 'q' }, { name: 'p' }] }), { prompts: [{ name: 'p' }] });
  t.strictSame(read({ resources: [{ uri: 'file:///a' }, { uri: 'file:///b', name: 'file:///a' }] }), {
    resources: [{ uri: 'file:///a' }],
  });
  t.strictSame(read({ resourceTemplates: [{ uriTemplate: 'file:///{x}' }, { uriTemplate: 'file:///{y}' }] }), {
    resourceTemplates: [{ uriTemplate: 'file:///{x}' }],
  });
  t.strictSame(read({ tools: [{ name: 'b' }], prompts: [{ name: 'q' }] }), { tools: [], prompts: [] });
});

t.test('an item without a name needs the rule of the method', async (t) => {
  const items = [{ name: 1 }, {}, null, 'a', ['a'], JSON.parse('{"__proto__":{"name":"a"}}')];
  t.strictSame(readLists(answer({ tools: items }), permitsOnly('tools/call a')), answer({ tools: [] }));
  t.equal(
    (
      readLists(answer({ tools: items }), permitsOnly('tools/call')) as ReturnType<typeof answer> & {
        result: { tools: unknown[] };
      }
    ).result.tools.length,
    6,
  );
});

t.test('every answer of a batch is filtered', async (t) => {
  const batch = [answer({ tools: [{ name: 'b' }] }), [answer({ prompts: [{ name: 'b' }] })]];
  t.strictSame(readLists(batch, permitsOnly()), [answer({ tools: [] }), [answer({ prompts: [] })]]);
});

t.test('an answer without a list is the same object', async (t) => {
  for (const value of [
    null,
    1,
    'a',
    {},
    { result: null },
    { result: [] },
    answer({}),
    answer({ tools: {} }),
    { error: {} },
  ])
    t.equal(readLists(value, permitsOnly()), value);
});

t.test('a filtered list is for one caller only', async (t) => {
  const read = (cacheScope: unknown) => readLists(answer({ tools: [], cacheScope }), permitsOnly());
  t.strictSame(read('public'), answer({ tools: [], cacheScope: 'private' }));
  t.strictSame(read('private'), answer({ tools: [], cacheScope: 'private' }));
  const unfiltered = answer({ tools: [], cacheScope: 'public' });
  t.equal(readLists(unfiltered, { permits: undefined, learn() {} }), unfiltered);
});

t.test('every tool is learned, also one that the caller may not use', async (t) => {
  const reader = permitsOnly();
  readLists(answer({ tools: [{ name: 'a' }, { name: 2 }, { name: 'b' }], prompts: [{ name: 'p' }] }), reader);
  t.strictSame(reader.learned, ['a', 'b']);
});
