import type { Code } from '../message/codes.ts';
import type { ShadowLine } from './read-line.ts';

/** Requests that failed although shadow mode refuses nothing. */
export interface InSpite {
  readonly code: string;
  readonly route: string | undefined;
  readonly address: string | undefined;
  count: number;
}

/** Codes of requests that HTTP itself forbids, or that are not refusals. The rules do not matter for them. */
const inSpite: ReadonlySet<string> = new Set<Code>([
  'message_malformed',
  'transfer_encoding_invalid',
  'headers_too_large',
  'headers_too_many',
  'request_timeout',
  'expectation_failed',
  'host_invalid',
  'target_other_host',
  'bodies_saturated',
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_invalid',
  'upstream_saturated',
  'upstream_unhealthy',
  'internal_error',
]);

const MOST = 1_000;

/** Adds the line if the gateway refused this request although shadow mode was on. Returns whether it did. */
export function addInSpite(rows: Map<string, InSpite>, line: ShadowLine): boolean {
  const { shadow, code, route, address } = line;
  const isTunnel = code === 'method_not_allowed' && line.method === 'CONNECT';
  const isOne = (inSpite.has(code) || isTunnel) && (shadow !== undefined || route === undefined);
  if (!isOne) return false;
  const key = JSON.stringify([code, route, address]);
  const row = rows.get(key);
  if (row !== undefined) row.count++;
  else if (rows.size < MOST) rows.set(key, { code, route, address, count: 1 });
  return true;
}
