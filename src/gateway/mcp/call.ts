import type { McpMessage } from './message.ts';
import type { KnownTool } from './tool-memory.ts';

/** A message of an `mcp` route, as the gateway judged it. */
export interface Call {
  readonly id: McpMessage['id'];
  /** The JSON-RPC error of a body that is not a message. */
  readonly error?: number | undefined;
  /** Undefined: the body is not a message. */
  readonly message: McpMessage | undefined;
  /** The rule of the file that applies. Undefined: none, so the requirements of the route apply. */
  readonly rule: string | undefined;
  /** Undefined: the call is for no tool, or no list with the tool has passed through this process. */
  readonly tool: KnownTool | undefined;
  /** Name, value, …: headers that the gateway writes from the body. */
  readonly added: readonly string[];
}

export const NO_CALL: Call = { id: undefined, message: undefined, rule: undefined, tool: undefined, added: [] };
