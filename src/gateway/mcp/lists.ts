import { isObject, type JsonObject } from '../../jwt/json.ts';
import { own } from './members.ts';
import type { McpOperation } from './message.ts';

/** The lists of a result, and the operation that an item is for. */
const lists: readonly { readonly member: string; readonly method: string; readonly name: string }[] = [
  { member: 'tools', method: 'tools/call', name: 'name' },
  { member: 'prompts', method: 'prompts/get', name: 'name' },
  { member: 'resources', method: 'resources/read', name: 'uri' },
  { member: 'resourceTemplates', method: 'resources/read', name: 'uriTemplate' },
];

export const listMembers: readonly string[] = lists.map(({ member }) => member);

export interface ListReader {
  /** Whether the caller may use the operation. Undefined: the lists stay as they are. */
  readonly permits: ((operation: McpOperation) => boolean) | undefined;
  /** Called for each tool of a list. */
  learn(name: string, tool: JsonObject): void;
}

/** The message, or the messages of a batch, without the items that the caller may not use. */
export function readLists(answer: unknown, reader: ListReader): unknown {
  if (Array.isArray(answer)) return answer.map((one) => readLists(one, reader));
  const result = isObject(answer) ? own(answer, 'result') : undefined;
  if (!isObject(answer) || !isObject(result)) return answer;
  const changed = lists.reduce((before, list) => withoutForeign(before, list, reader), result);
  return changed === result ? answer : { ...answer, result: forCallerOnly(changed) };
}

function withoutForeign(
  result: JsonObject,
  { member, method, name }: (typeof lists)[number],
  reader: ListReader,
): JsonObject {
  const items = own(result, member);
  if (!Array.isArray(items)) return result;
  if (member === 'tools') for (const tool of items) learn(tool, reader);
  const { permits } = reader;
  if (permits === undefined) return result;
  return { ...result, [member]: items.filter((item) => permits({ method, name: nameOf(item, name) })) };
}

function learn(tool: unknown, reader: ListReader): void {
  const name = isObject(tool) ? own(tool, 'name') : undefined;
  if (isObject(tool) && typeof name === 'string') reader.learn(name, tool);
}

/** An item without a name has no rule of its own. */
function nameOf(item: unknown, member: string): string | undefined {
  const name = isObject(item) ? own(item, member) : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A cache must not give the list of one caller to another caller (caching, cacheScope). */
function forCallerOnly(result: JsonObject): JsonObject {
  return own(result, 'cacheScope') === 'public' ? { ...result, cacheScope: 'private' } : result;
}
