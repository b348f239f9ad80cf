import { type Result, resultOf } from '../../gateway/telemetry/result.ts';
import type { JsonObject } from '../../jwt/json.ts';

/** The parts of a decision that a terminal shows. A gateway of another version may leave out any of them. */
export interface DecisionWords {
  /** Milliseconds since the epoch. */
  readonly time: number | undefined;
  readonly status: string;
  readonly result: Result;
  readonly method: string;
  /** The path, and the operation of an `mcp` route. */
  readonly path: string;
  /** The code; for a forwarded request its route, and the code in shadow mode. */
  readonly verdict: string;
  readonly code: string;
  readonly route: string;
  /** The client, or else the subject, or else the address. */
  readonly client: string;
  readonly milliseconds: string;
}

export function decisionWords(row: JsonObject): DecisionWords {
  const text = (member: string) => (typeof row[member] === 'string' ? row[member] : '');
  const { time, status, milliseconds } = row;
  const code = text('code');
  return {
    time: typeof time === 'number' && Number.isFinite(time) ? time : undefined,
    status: typeof status === 'number' ? String(status) : '-',
    result: resultOf(code, typeof status === 'number' ? status : 0),
    method: text('method'),
    path: [text('path'), text('mcp_method'), text('mcp_name')].filter(Boolean).join(' '),
    verdict: code === 'forwarded' ? routeWords(text('route'), text('shadow')) : code,
    code,
    route: text('route') || '(none)',
    client: text('client') || text('subject') || text('address'),
    milliseconds: typeof milliseconds === 'number' ? `${milliseconds.toFixed(1)} ms` : '',
  };
}

function routeWords(route: string, shadow: string): string {
  return shadow === '' || shadow === 'pass' ? route : `${route} (shadow ${shadow})`;
}
