import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Arguments = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

export interface NewTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. The default allows no argument. */
  readonly input?: Record<string, unknown>;
  readonly call: (context: ServerContext, given: Arguments) => Answer | Promise<Answer>;
}

const nothing = { type: 'object', properties: {}, additionalProperties: false };

export function addTool(server: McpServer, { name, description, input = nothing, call }: NewTool): void {
  const inputSchema = fromJsonSchema<Arguments>(input);
  server.registerTool(name, { description, inputSchema }, (given, context) => call(context, given));
}
