import type { Call } from '../mcp/call.ts';

/** A number of messages with the same labels. */
export interface CallCounts {
  readonly route: string;
  readonly method: string;
  /** The tool. Empty: the message calls none. */
  readonly tool: string;
  readonly code: string;
  readonly count: number;
}

/** Methods of the protocol. A client could invent others without end. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
]);

const OTHER = 'other';
/** No label contains it. */
const SEPARATOR = '\n';
/** Combinations of labels. More tools than this count as `other`. */
const MOST = 2000;

/** Counts messages of `mcp` routes. */
export class CallTally {
  readonly #counts = new Map<string, number>();

  add(route: string, call: Call, code: string): void {
    const method = methodOf(call.message?.method);
    const labels = (tool: string) => [route, method, tool, code].join(SEPARATOR);
    const own = labels(toolOf(call));
    const key = this.#counts.has(own) || this.#counts.size < MOST ? own : labels(OTHER);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  *counts(): Iterable<CallCounts> {
    for (const [key, count] of this.#counts) {
      const [route = '', method = '', tool = '', code = ''] = key.split(SEPARATOR);
      yield { route, method, tool, code, count };
    }
  }
}

function methodOf(method: string | undefined): string {
  if (method === undefined || method === '') return 'none';
  return METHODS.has(method) ? method : OTHER;
}

/** Only tools of the upstream's own list have their own label. */
function toolOf({ message, tool }: Call): string {
  if (message?.method !== 'tools/call') return '';
  return tool === undefined ? OTHER : (message.operations[0]?.name ?? OTHER);
}
