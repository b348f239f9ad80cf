import { createServer, request } from 'node:http';
import type { Test } from 'tap';
import { serving } from './serving.ts';

export interface CountingProxy {
  readonly url: string;
  /** How often a path was requested. */
  count(path: string): number;
  /** Exchanges at this path that are in progress. */
  open(path: string): number;
}

/** A proxy between a gateway and its authorization server. It forwards everything unchanged, and counts. */
export async function countingProxy(t: Test, to: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  const open = new Map<string, number>();
  const add = (to: Map<string, number>, path: string, change: number) => to.set(path, (to.get(path) ?? 0) + change);
  const server = createServer((incoming, answer) => {
    const path = new URL(incoming.url ?? '/', to).pathname;
    add(counts, path, 1);
    add(open, path, 1);
    answer.once('close', () => add(open, path, -1));
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? '/', to), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    answer.once('close', () => onward.destroy());
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  const url = await serving(t, server);
  return {
    url,
    count: (path) => counts.get(path) ?? 0,
    open: (path) => open.get(path) ?? 0,
  };
}
