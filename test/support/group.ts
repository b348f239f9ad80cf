import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { withChosen } from './chosen.ts';
import { connectTo, type RawClient } from './raw-client.ts';
import type { RawResponse } from './raw-response.ts';
import { type ServedFile, servedFile, writeIn } from './served-file.ts';
import { until } from './until.ts';

/** `gatehouse gateway` with several workers, as a user starts it. */
export interface Group extends ServedFile {
  readonly url: string;
  /** The pids of the workers that are alive. */
  pids(): readonly number[];
  /** Writes the file, and requests a reload. */
  take(body: object, workers?: number): Promise<Response>;
  /** The sum over all series with that name; NaN if there are none. */
  metric(name: string): Promise<number>;
  /** Whether it reaches this number of workers, all of which answer. */
  serves(workers: number): Promise<boolean>;
}

export async function group(t: Test, body: object, workers = 4): Promise<Group> {
  let listeners = '';
  const write = (directory: string, next: object, count = workers) =>
    writeIn(directory, 'gateway.yaml', `${listeners}workers: ${count}\n${stringify(withChosen(next))}`);
  const start = (directory: string, text: string) => {
    listeners = text;
    write(directory, body);
  };
  const served = await servedFile(t, start, [], 60_000);
  const { pid = 0 } = served.process;
  const metric = async (name: string) => sumOf(await (await fetch(`${served.adminUrl}/metrics`)).text(), name);
  return {
    ...served,
    url: `http://127.0.0.1:${served.port}`,
    pids: () => childrenOf(pid),
    take(next, count) {
      write(served.directory, next, count);
      return fetch(`${served.adminUrl}/reload`, { method: 'POST' });
    },
    metric,
    async serves(wanted) {
      for (const end = performance.now() + 60_000; performance.now() < end; await pause(20))
        if ((await metric('gatehouse_workers')) === wanted) return true;
      return false;
    },
  };
}

export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Whether all of them end. */
export function gone(pids: readonly number[]): Promise<boolean> {
  return until(() => !pids.some(lives));
}

/** A dead process that was not yet reaped has also ended. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

function sumOf(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  const values = lines.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return lines.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
}

/** Which worker answered: a request id begins with random text that a process chose at its start. */
export function workerOf(id: string | null | undefined): string {
  return id?.slice(0, id.lastIndexOf('-')) ?? '';
}

export interface Answered {
  readonly response: RawResponse;
  readonly worker: string;
  /** When the request was sent and answered, monotonic milliseconds. */
  readonly from: number;
  readonly to: number;
}

export interface Pressure {
  readonly answers: readonly Answered[];
  /** The worker of each connection that closed during a request; empty if the connection had no answer before. */
  readonly lost: readonly string[];
  /** Resolves when all sent requests are answered. */
  stop(): Promise<void>;
}

/** Kept connections, each with one request after another until it is stopped. A broken connection is opened again. */
export function pressure(port: number, connections: number, bytes: (count: number) => Buffer): Pressure {
  const answers: Answered[] = [];
  const lost: string[] = [];
  let stopped = false;
  let count = 0;
  const work = async () => {
    let client: RawClient | undefined;
    let worker = '';
    while (!stopped) {
      if (client === undefined || client.closed) {
        worker = '';
        // The own side is still open, and would keep the process alive.
        client?.destroy();
        client = await connectTo(port);
      }
      const from = performance.now();
      client.send(bytes(count++));
      const response = await client.read({ deadline: 20_000 });
      if (response === undefined) lost.push(worker);
      else {
        worker = workerOf(response.header('x-request-id'));
        answers.push({ response, worker, from, to: performance.now() });
        if (response.header('connection') === 'close') client.destroy();
      }
    }
    client?.destroy();
  };
  const over = Promise.all(Array.from({ length: connections }, work));
  return {
    answers,
    lost,
    async stop() {
      stopped = true;
      await over;
    },
  };
}
