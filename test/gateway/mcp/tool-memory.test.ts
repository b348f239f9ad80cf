import t from 'tap';
import { parseKeptJson } from '../../../src/gateway/mcp/kept-json.ts';
import { ToolMemory } from '../../../src/gateway/mcp/tool-memory.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';

const tool = (more: object = {}): JsonObject => ({ name: 'echo', description: 'echoes', inputSchema: {}, ...more });

t.test('a tool is known by its last definition', async (t) => {
  const memory = new ToolMemory();
  t.equal(memory.get('echo'), undefined);
  memory.learn('echo', tool({ inputSchema: { properties: { a: { 'x-mcp-header': 'A' } } } }));
  t.equal(memory.get('echo')?.params.length, 1);
  memory.learn('echo', tool());
  t.equal(memory.get('echo')?.params.length, 0);
});

t.test('a changed definition is told, with its earlier digest', async (t) => {
  const memory = new ToolMemory();
  t.equal(memory.learn('echo', tool()), undefined, 'the first one');
  t.equal(memory.learn('echo', tool()), undefined, 'the same one');
  const before = memory.get('echo')?.digest;
  t.match(before, /^[A-Za-z0-9_-]{16}$/);
  t.equal(memory.learn('echo', tool({ description: 'now echoes all files' })), before);
  t.not(memory.get('echo')?.digest, before);
});

t.test('the order of members does not change the digest, and the order of a list does', async (t) => {
  const digest = (definition: string) => {
    const memory = new ToolMemory();
    memory.learn('echo', parseKeptJson(definition) as JsonObject);
    return memory.get('echo')?.digest;
  };
  t.equal(digest('{"name":"echo","a":{"b":1,"c":2}}'), digest('{"a":{"c":2,"b":1},"name":"echo"}'));
  t.not(digest('{"a":[1,2]}'), digest('{"a":[2,1]}'));
  t.not(digest('{"a":9007199254740993}'), digest('{"a":9007199254740992}'));
  t.not(digest('{"__proto__":{"a":1}}'), digest('{}'));
});

t.test('a server cannot fill the memory with tools or long names', async (t) => {
  const memory = new ToolMemory();
  for (let index = 0; index < 5000; index++) memory.learn(`tool${index}`, {});
  t.ok(memory.get('tool4095'));
  t.equal(memory.get('tool4096'), undefined);
  const fresh = new ToolMemory();
  fresh.learn('a'.repeat(1025), {});
  t.equal(fresh.get('a'.repeat(1025)), undefined);
});
