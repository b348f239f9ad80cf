import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  type InputRequests,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { failed } from './add-tool.ts';

/** The extension of SEP-2663. The SDK has no code for it, but lets a server add its methods. */
export const TASKS = 'io.modelcontextprotocol/tasks';

type Answers = Readonly<Record<string, unknown>>;

/** Runs for a while, and may ask the user between. */
export type Work = (
  ask: (questions: InputRequests) => Promise<Answers>,
  signal: AbortSignal,
) => Promise<CallToolResult>;

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

interface Task {
  readonly id: string;
  readonly created: string;
  updated: string;
  status: Status;
  /** A result or an error, at the end. */
  outcome: object;
  open: InputRequests;
  /** Takes answers. A task that asks nothing ignores them. */
  answer(given: Answers): void;
  readonly cancelled: AbortController;
}

export type Tasks = Map<string, Task>;

const now = () => new Date().toISOString();

/** The result of a call that became a task. */
export function started(tasks: Tasks, work: Work): CallToolResult {
  const task: Task = {
    id: randomUUID(),
    created: now(),
    updated: now(),
    status: 'working',
    outcome: {},
    open: {},
    answer: () => {},
    cancelled: new AbortController(),
  };
  tasks.set(task.id, task);
  void run(task, work);
  return { resultType: 'task', ...about(task), content: [] };
}

async function run(task: Task, work: Work): Promise<void> {
  try {
    const result = await work((questions) => asked(task, questions), task.cancelled.signal);
    settle(task, 'completed', { result });
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ProtocolError) settle(task, 'failed', { error: { code: error.code, message } });
    else settle(task, 'completed', { result: failed(message) });
  }
}

/** A canceled task remains canceled, whatever its work does. */
function settle(task: Task, status: Status, outcome: object = {}): void {
  if (task.status === 'cancelled') return;
  Object.assign(task, { status, outcome, updated: now() });
}

/** Resolves when each question has an answer. They can arrive one after another. */
function asked(task: Task, questions: InputRequests): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  task.open = { ...questions };
  settle(task, 'input_required');
  return new Promise((answered) => {
    task.answer = (given) => {
      for (const [key, value] of Object.entries(given))
        if (key in task.open) {
          answers[key] = value;
          delete task.open[key];
        }
      if (Object.keys(task.open).length > 0) return;
      settle(task, 'working');
      answered(answers);
    };
  });
}

const about = ({ id, status, created, updated }: Task) => ({
  taskId: id,
  status,
  createdAt: created,
  lastUpdatedAt: updated,
  ttlMs: 60_000,
  pollIntervalMs: 100,
});

export function knowsTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const { extensions } = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  return extensions?.[TASKS] !== undefined;
}

export function requireTasks(context: ServerContext): void {
  if (knowsTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}

const params = fromJsonSchema<{ readonly taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
});

export function addTaskMethods({ server }: McpServer, tasks: Tasks): void {
  const method = (name: string, act: (task: Task, context: ServerContext) => object) =>
    server.setRequestHandler(name, { params }, ({ taskId }, context) => {
      requireTasks(context);
      const task = tasks.get(taskId);
      if (task === undefined) throw new ProtocolError(-32602, 'Task not found', { taskId });
      return act(task, context) as Record<string, unknown>;
    });
  method('tasks/get', (task) => ({
    ...about(task),
    ...(task.status === 'input_required' ? { inputRequests: task.open } : task.outcome),
  }));
  // The SDK takes the answers out of the parameters of every method.
  method('tasks/update', (task, { mcpReq }) => {
    task.answer(mcpReq.inputResponses ?? {});
    return {};
  });
  method('tasks/cancel', (task) => {
    if (['working', 'input_required'].includes(task.status)) settle(task, 'cancelled');
    task.cancelled.abort();
    return {};
  });
}
