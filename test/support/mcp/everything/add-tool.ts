import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { said } from './samples.ts';

export type Arguments = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

export interface NewTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. The default allows no argument. */
  readonly input?: Record<string, unknown>;
  readonly call: (context: ServerContext, given: Arguments) => Answer | Promise<Answer>;
}

const nothing = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Registers the tools. The SDK would turn every error of a tool into a result, but a missing capability of the client
 * is an error of the protocol. So `tools/call` has a handler of its own.
 */
export function addTools(server: McpServer, tools: readonly NewTool[]): void {
  const known = new Map(tools.map((tool) => [tool.name, { ...tool, schema: schemaOf(tool) }]));
  for (const { name, description, schema, call } of known.values())
    server.registerTool(name, { description, inputSchema: schema }, (given, context) => call(context, given));
  server.server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = known.get(params.name);
    if (tool === undefined) throw new ProtocolError(-32602, `Tool ${params.name} not found`);
    return called(tool, context, params.arguments ?? {});
  });
}

const schemaOf = ({ input = nothing }: NewTool) => fromJsonSchema<Arguments>(input);

type Known = NewTool & { readonly schema: StandardSchemaWithJSON<Arguments, Arguments> };

async function called({ schema, call }: Known, context: ServerContext, given: Arguments): Promise<Answer> {
  const { issues } = await schema['~standard'].validate(given);
  if (issues !== undefined) return failed(issues.map(({ message }) => message).join(', '));
  try {
    return await call(context, given);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return failed((error as Error).message);
  }
}

export const failed = (message: string): CallToolResult => ({ content: [said(message)], isError: true });
