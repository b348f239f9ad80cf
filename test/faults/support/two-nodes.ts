import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { ready, type ServiceProcess, spawnService } from '../../authorization/service-process.ts';
import { launcher } from '../../support/launcher.ts';

/** Processes of the service on one store. Each may be killed at any time, and then starts again. */
export interface Nodes {
  readonly count: number;
  /** The URL of this node, once it is up. */
  url(node: number): Promise<string>;
  /** `kill -9`, and a start with the current file; resolves once the node is ready. */
  killed(node: number): Promise<void>;
}

export async function startNodes(t: Test, config: string, count: number): Promise<Nodes> {
  const processes: ServiceProcess[] = [];
  const urls: Promise<string>[] = [];
  const start = (node: number) => {
    const started = spawnService(t, config);
    processes[node] = started;
    urls[node] = ready(started);
    return urls[node];
  };
  for (let node = 0; node < count; node++) await start(node);
  return {
    count,
    url: (node) => urls[node] as Promise<string>,
    async killed(node) {
      const { child, ended } = processes[node] as ServiceProcess;
      child.kill('SIGKILL');
      await ended;
      await start(node);
    },
  };
}

export interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Repeats a request until it is answered, even if the node is killed or its store is down in the meantime. Each failed
 * attempt calls `onLost`.
 */
export async function askUntilAnswered(
  nodes: Nodes,
  node: number,
  send: (url: string) => Promise<Response>,
  onLost: () => void = () => {},
): Promise<Heard> {
  for (;;) {
    const heard = await heardFrom(send, await nodes.url(node));
    if (heard !== undefined && heard.status < 500) return heard;
    onLost();
    await pause(20);
  }
}

async function heardFrom(send: (url: string) => Promise<Response>, url: string): Promise<Heard | undefined> {
  try {
    const response = await send(url);
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A command of the operator, beside the services. */
export async function command(args: readonly string[], config: string): Promise<void> {
  const child = spawn(process.execPath, [launcher, ...args, '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(told);
}
