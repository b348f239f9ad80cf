import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../jwt/json.ts';
import { own } from './members.ts';
import { type ToolParam, toolParams } from './tool-params.ts';

/** The gateway's knowledge of a tool, from the last list that passed. */
export interface KnownTool {
  readonly params: readonly ToolParam[];
  /** Changes if the name, the description or a schema changes. */
  readonly digest: string;
}

/** Tools of one route. A server with more could fill the memory. */
const MOST = 4096;
/** Characters of a name. */
const LONGEST = 1024;

/** The tools of a route's upstream. Each process learns them from lists that pass through it. */
export class ToolMemory {
  readonly #tools = new Map<string, KnownTool>();

  get(name: string): KnownTool | undefined {
    return this.#tools.get(name);
  }

  /** Returns the tool's earlier digest, if its definition has changed. */
  learn(name: string, tool: JsonObject): string | undefined {
    if (name.length > LONGEST) return undefined;
    const before = this.#tools.get(name);
    const digest = digestOf(tool);
    if (before?.digest === digest) return undefined;
    if (before === undefined && this.#tools.size >= MOST) return undefined;
    this.#tools.set(name, { params: toolParams(own(tool, 'inputSchema')), digest });
    return before?.digest;
  }
}

function digestOf(tool: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(tool)))
    .digest('base64url')
    .slice(0, 16);
}

/** A server may list members in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
