import type { Call } from '../mcp/call.ts';
import { protocolMethods } from '../mcp/protocol-methods.ts';

/** A number of messages with the same labels. */
export interface CallCounts {
  readonly route: string;
  readonly method: string;
  /** The tool. Empty: the message calls none. */
  readonly tool: string;
  readonly code: string;
  readonly count: number;
}

const OTHER = 'other';
/** No label contains it. */
const SEPARATOR = '\n';
/** Combinations of labels. More tools than this count as `other`. */
const MOST = 2000;

/** Counts messages of `mcp` routes. */
export class CallTally {
  readonly #counts = new Map<string, Count>();

  add(route: string, call: Call, code: string): void {
    const method = methodOf(call.message?.method);
    const labels = (tool: string) => `${route}${SEPARATOR}${method}${SEPARATOR}${tool}${SEPARATOR}${code}`;
    const own = labels(toolOf(call));
    const known = this.#counts.get(own);
    if (known !== undefined) known.count++;
    else if (this.#counts.size < MOST) this.#counts.set(own, { count: 1 });
    else this.#addOther(labels(OTHER));
  }

  #addOther(key: string): void {
    const known = this.#counts.get(key) ?? { count: 0 };
    known.count++;
    this.#counts.set(key, known);
  }

  *counts(): Iterable<CallCounts> {
    for (const [key, { count }] of this.#counts) {
      const [route = '', method = '', tool = '', code = ''] = key.split(SEPARATOR);
      yield { route, method, tool, code, count };
    }
  }
}

interface Count {
  count: number;
}

function methodOf(method: string | undefined): string {
  if (method === undefined || method === '') return 'none';
  return protocolMethods.has(method) ? method : OTHER;
}

/** Only tools of the upstream's own list have their own label. */
function toolOf({ message, tool }: Call): string {
  if (message?.method !== 'tools/call') return '';
  return tool === undefined ? OTHER : (message.operations[0]?.name ?? OTHER);
}
