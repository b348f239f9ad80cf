import type { DestinationStream } from 'pino';
import { printableValue } from '../base/printable.ts';
import { entry, isCode } from '../gateway/message/codes.ts';

/** The level in pino's numbers. */
const INFO = 30;
const WARN = 40;

/**
 * A log for people: one line each, such as `GET /orders/7 401 credential_missing 2 ms`, so that the demo's earlier output stays
 * visible.
 */
export function requestLines(output: DestinationStream): DestinationStream {
  return {
    write(text) {
      const line = lineOf(text);
      if (line !== undefined) output.write(`${printableValue(line)}\n`);
    },
  };
}

function lineOf(text: string): string | undefined {
  const record = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { method, milliseconds } = record;
  if (typeof method === 'string' && typeof milliseconds === 'number') return ofRequest(record, milliseconds);
  const level = Number(record.level);
  if (level < INFO) return undefined;
  return level < WARN ? String(record.msg) : `${record.msg} ${JSON.stringify(factsOf(record))}`;
}

/** A request to the gateway has a path and a code. A request to the authorization service has an endpoint. */
function ofRequest(record: Readonly<Record<string, unknown>>, milliseconds: number): string {
  const { method, path, endpoint, code, client_id } = record;
  const word = path === undefined ? client_id : code;
  const known = typeof code === 'string' && isCode(code) ? entry(code).status : undefined;
  const parts = [method, path ?? endpoint, record.status ?? known, word, `${Math.round(milliseconds)} ms`];
  return parts.filter((part) => part !== undefined).join(' ');
}

function factsOf({ level, time, pid, hostname, msg, ...facts }: Readonly<Record<string, unknown>>): object {
  return facts;
}
