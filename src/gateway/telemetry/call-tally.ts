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
/** Combinations of labels. In each further combination, the tool is `other`. */
const MOST = 2000;

type ByCode = Map<string, number>;
type ByTool = Map<string, ByCode>;
type ByMethod = Map<string, ByTool>;

/** Counts messages of `mcp` routes. A map for each label is faster than one key with all labels. */
export class CallTally {
  readonly #byRoute = new Map<string, ByMethod>();
  #size = 0;

  add(route: string, call: Call, code: string): void {
    const byMethod = mapIn(this.#byRoute, route);
    const byTool = mapIn(byMethod, methodOf(call.message?.method));
    const tool = toolOf(call);
    const byCode = byTool.get(tool);
    const known = byCode?.get(code);
    if (byCode !== undefined && known !== undefined) byCode.set(code, known + 1);
    else this.#addNew(byTool, tool, code);
  }

  #addNew(byTool: ByTool, tool: string, code: string): void {
    const counted = this.#size++ < MOST ? tool : OTHER;
    const byCode = mapIn(byTool, counted);
    byCode.set(code, (byCode.get(code) ?? 0) + 1);
  }

  *counts(): Iterable<CallCounts> {
    for (const [route, byMethod] of this.#byRoute)
      for (const [method, byTool] of byMethod)
        for (const [tool, byCode] of byTool)
          for (const [code, count] of byCode) yield { route, method, tool, code, count };
  }
}

function mapIn<Value>(maps: Map<string, Map<string, Value>>, label: string): Map<string, Value> {
  const known = maps.get(label);
  if (known !== undefined) return known;
  const made = new Map<string, Value>();
  maps.set(label, made);
  return made;
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
