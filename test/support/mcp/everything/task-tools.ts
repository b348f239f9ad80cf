import { setTimeout as pause } from 'node:timers/promises';
import { inputRequired, inputResponse, ProtocolError } from '@modelcontextprotocol/server';
import type { Arguments, NewTool } from './add-tool.ts';
import { confirmation, name } from './questions.ts';
import { said } from './samples.ts';
import { knowsTasks, requireTasks, started, type Tasks, type Work } from './tasks.ts';

/** Milliseconds of a second of the scenarios: they only need that a task lasts. */
const SECOND = 100;

const text = { type: 'string' };

const object = (properties: object) => ({ type: 'object', properties });

const result = (words: string) => ({ content: [said(words)] });

const compute =
  ({ seconds, label }: Arguments): Work =>
  async (_ask, signal) => {
    await pause(Number(seconds) * SECOND, undefined, { signal });
    return result(`computed ${label}`);
  };

const confirm =
  ({ filename }: Arguments): Work =>
  async (ask) => {
    await ask({ confirm: confirmation() });
    return result(`deleted ${filename}`);
  };

const askTwice = (): Work => async (ask) => {
  await ask({ first: name(), second: name() });
  return result('The user answered both questions.');
};

const fail = (): Work => async () => {
  await pause(SECOND);
  throw new Error('This job fails');
};

const crash = (): Work => async () => {
  await pause(SECOND);
  throw new ProtocolError(-32603, 'This job breaks');
};

const greet: NewTool = {
  name: 'greet',
  description: 'Greets, immediately',
  input: object({ name: text }),
  call: (_context, given) => result(`Hello, ${given.name}!`),
};

/** Runs as a task where the client knows tasks. For other clients, the call lasts as long as the work. */
function slow(tasks: Tasks): NewTool {
  return {
    name: 'slow_compute',
    description: 'Needs its time',
    input: object({ seconds: { type: 'number' }, label: text }),
    call: (context, given) => {
      const work = compute(given);
      if (knowsTasks(context)) return started(tasks, work);
      return work(() => Promise.reject(new Error('nobody can answer')), context.mcpReq.signal);
    },
  };
}

/** Only clients that know tasks can call it. */
function job(tasks: Tasks, name: string, work: (given: Arguments) => Work, input = object({})): NewTool {
  return {
    name,
    description: 'Runs as a task',
    input,
    call: (context, given) => {
      requireTasks(context);
      return started(tasks, work(given));
    },
  };
}

/** Asks before the task begins. */
function askFirst(tasks: Tasks): NewTool {
  return {
    name: 'test_tool_with_task',
    description: 'Asks, and then runs as a task',
    call: (context) => {
      requireTasks(context);
      const answer = inputResponse(context.mcpReq.inputResponses, 'user_name');
      if (answer.kind !== 'elicit') return inputRequired({ inputRequests: { user_name: name() } });
      return started(tasks, async () => result(`The user is ${answer.content?.name}`));
    },
  };
}

export const taskTools = (tasks: Tasks): readonly NewTool[] => [
  greet,
  slow(tasks),
  job(tasks, 'failing_job', fail),
  job(tasks, 'protocol_error_job', crash),
  job(tasks, 'confirm_delete', confirm, object({ filename: text })),
  job(tasks, 'multi_input', askTwice),
  askFirst(tasks),
];
