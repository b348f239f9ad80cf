import { setTimeout as pause } from 'node:timers/promises';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { NewTool } from './add-tool.ts';
import { embedded, image, said, wav } from './samples.ts';

type Content = CallToolResult['content'];

const shows = (name: string, what: string, ...content: Content): NewTool => ({
  name,
  description: `Returns ${what}`,
  call: () => ({ content }),
});

/** Milliseconds between two notifications of a call, so that a client can receive each one alone. */
const BETWEEN = 50;

const log =
  (between: number): NewTool['call'] =>
  async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await pause(between);
    }
    return { content: [said('The tool wrote three log messages.')] };
  };

async function progress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const done of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } });
    await pause(BETWEEN);
  }
  return { content: [said('The tool reported its progress.')] };
}

/** Ends the stream of the call. The client gets the result from another stream, after the last event that it knows. */
async function reconnect({ http }: ServerContext): Promise<CallToolResult> {
  http?.closeSSE?.();
  await pause(2 * BETWEEN);
  return { content: [said('The client came back.')] };
}

function fail(): never {
  throw new Error('This tool intentionally returns an error for testing');
}

const mixed = embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}');

export const contentTools: readonly NewTool[] = [
  shows('test_simple_text', 'a text', said('This is a simple text response for testing.')),
  shows('test_image_content', 'a picture', image),
  shows('test_audio_content', 'a sound', { type: 'audio', data: wav, mimeType: 'audio/wav' }),
  shows(
    'test_embedded_resource',
    'a resource',
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  shows('test_multiple_content_types', 'three types', said('Multiple content types test:'), image, mixed),
  { name: 'test_tool_with_logging', description: 'Writes three log messages', call: log(BETWEEN) },
  // The conformance tool waits for half a second only.
  { name: 'test_logging_tool', description: 'Writes three log messages, if the request allows them', call: log(0) },
  { name: 'test_tool_with_progress', description: 'Reports its progress three times', call: progress },
  { name: 'test_error_handling', description: 'Fails', call: fail },
  { name: 'test_reconnection', description: 'Ends its stream before its result', call: reconnect },
];
