import { createServer, type IncomingMessage } from 'node:http';
import type { Test } from 'tap';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';

/** Whether this many streams of decisions are open at a gateway. */
export function isWatched(admin: string | undefined, viewers = 1): Promise<boolean> {
  const metric = `gatehouse_console_viewers ${viewers}\n`;
  return until(async () => (await (await fetch(`${admin}/metrics`)).text()).includes(metric));
}

/** Messages of a management listener that a test writes. */
export interface ScriptedAdmin {
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
}

const none = { passed: 0, refused: 0, failed: 0 };

/** Answers with these records, as JSON and as an event stream. `left`: decisions that it says it left out. */
export async function scriptedAdmin(
  t: Test,
  rows: readonly object[],
  left = 0,
  totals: object = none,
): Promise<ScriptedAdmin> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const isStream = request.headers.accept === 'text/event-stream';
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (!isStream) {
      response.end(JSON.stringify({ decisions: rows }));
      return;
    }
    const message = (id: string, decisions: readonly object[], count: number) =>
      `id: ${id}\ndata: ${JSON.stringify({ decisions, left: count, slow: 0, totals })}\n\n`;
    response.write(`event: hello\ndata: {"gateway":"g","workers":0}\n\n${message('a.0', [], 0)}`);
    response.write(message('a.1', rows, left));
  });
  return { url: await serving(t, server), asked };
}

/** A management listener that gives every request this answer. */
export async function refusingAdmin(t: Test, status: number, body: object = {}): Promise<ScriptedAdmin> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { url: await serving(t, server), asked };
}

/** A line break before a GitHub workflow command, CSI in two spellings, and a character that reverses the line. */
export const EVIL = 'x\n::error::pwn\r\u001b[31m\u009b2J\u202eevil\u2066\u007f';
/** Any part of it in an output. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not come out
export const STEERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^\s*::error::pwn/m;
