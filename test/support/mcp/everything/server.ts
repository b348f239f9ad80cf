import { McpServer, type ServerNotifier } from '@modelcontextprotocol/server';
import { addTools, type NewTool } from './add-tool.ts';
import { askingTools, rounds } from './asking-tools.ts';
import { contentTools } from './content-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { said } from './samples.ts';
import { schemaTools } from './schema-tools.ts';
import { taskTools } from './task-tools.ts';
import { addTaskMethods, TASKS, type Tasks } from './tasks.ts';

/** How the tools tell every open subscription about a change. */
export type Notifier = () => Pick<ServerNotifier, 'toolsChanged' | 'promptsChanged'>;

const options = {
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
    completions: {},
    extensions: { [TASKS]: {} },
  },
  requestState: { verify: rounds.verify },
};

/**
 * Everything that the scenarios of the conformance tool ask for, under the names that it uses. `tasks`: a task
 * outlives the server of a single request.
 */
export function everything(notify: Notifier, tasks: Tasks): McpServer {
  const server = new McpServer({ name: 'everything', version: '1.0.0' }, options);
  const tools = [contentTools, schemaTools, askingTools, changingTools(notify), taskTools(tasks)];
  addTools(server, tools.flat());
  addTaskMethods(server, tasks);
  addPrompts(server);
  addResources(server);
  addSmallRequests(server);
  return server;
}

function changingTools(notify: Notifier): readonly NewTool[] {
  const tool = (what: 'tool' | 'prompt', change: () => void): NewTool => ({
    name: `test_trigger_${what}_change`,
    description: `Tells the subscribers that the list of ${what}s changed`,
    call() {
      change();
      return { content: [said('changed')] };
    },
  });
  return [tool('tool', () => notify().toolsChanged()), tool('prompt', () => notify().promptsChanged())];
}

/** Requests of revisions before 2026-07-28 that the SDK leaves to its user. */
function addSmallRequests({ server }: McpServer): void {
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value)) },
  }));
}
