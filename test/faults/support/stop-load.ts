import { setTimeout as pause } from 'node:timers/promises';
import { connectTo, type RawClient } from '../../support/raw-client.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import { requestText } from '../../support/request-text.ts';

/** The result of one request. */
export interface Told {
  readonly id: string;
  /** Whether its connection had an answer before. */
  readonly kept: boolean;
  /** Undefined: the connection closed without a byte of an answer. */
  readonly response: RawResponse | undefined;
  /** When it was written, and when its answer was complete, monotonic milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** One kind of client, which repeats its request until it is stopped or nothing listens any more. */
export interface Asker {
  readonly told: readonly Told[];
  readonly over: Promise<void>;
  stop(): void;
}

export interface AskerOptions {
  readonly port: number;
  readonly path: string;
  /** Milliseconds between an answer and the next request. */
  readonly between: number;
  readonly method?: string;
  readonly body?: string;
}

let count = 0;

/** The upstream identifies a request by its target. */
export function nextTarget(path: string): string {
  return `${path}/${++count}`;
}

/** One connection for as long as it may be kept. */
export function keptAsker(options: AskerOptions): Asker {
  return asker(options, (told) => told !== undefined && !closes(told));
}

/** A separate connection for each request. */
export function freshAsker(options: AskerOptions): Asker {
  return asker(options, () => false);
}

function asker(options: AskerOptions, isKept: (response: RawResponse | undefined) => boolean): Asker {
  const told: Told[] = [];
  let stopped = false;
  const work = async () => {
    while (!stopped) {
      const client = await connectTo(options.port);
      for (let kept = false; !stopped && !client.closed; kept = true) {
        told.push(await asked(client, options, kept));
        if (!isKept(told.at(-1)?.response)) break;
        await pause(options.between);
      }
      client.destroy();
      await pause(options.between);
    }
  };
  const stop = () => {
    stopped = true;
  };
  return { told, over: work().catch(refused), stop };
}

/** Before anything was written, so nothing is lost. */
function refused(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ECONNREFUSED' && error.code !== 'ECONNRESET') throw error;
}

async function asked(client: RawClient, options: AskerOptions, kept: boolean): Promise<Told> {
  const { path, method = 'GET', body } = options;
  const target = nextTarget(path);
  const from = performance.now();
  client.send(requestText({ target, method, ...(body !== undefined && { body }) }));
  const response = await client.read({ method, deadline: 20_000 });
  return { id: target, kept, response, from, to: performance.now() };
}

export function closes(response: RawResponse): boolean {
  return response.header('connection')?.toLowerCase() === 'close';
}
