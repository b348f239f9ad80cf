import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { goPeer } from '../../flows/clients/go.ts';
import type { Peer, Startable } from '../../flows/clients/peer.ts';

/** What a reader of another language finds in a body. */
export interface Found {
  /** Why it reads nothing. */
  readonly fault?: string;
  /** Empty: the message has none. */
  readonly method: string;
  /** The tools, prompts, resources or tasks that the message is about. */
  readonly names: readonly string[];
  /** Empty: the message names no revision. */
  readonly version: string;
}

export interface MessageReader {
  readonly language: string;
  ask(bodies: readonly Buffer[]): Promise<readonly Found[]>;
}

export const readersByLanguage: Readonly<Record<string, () => Peer>> = {
  Python: () => {
    const { status } = spawnSync('python3', ['--version'], { timeout: 20_000 });
    const script = fileURLToPath(new URL('../../peers/python/mcp_reader.py', import.meta.url));
    return status === 0 ? { command: 'python3', args: [script] } : { missing: 'no python3 on the PATH' };
  },
  Go: () => goPeer({ name: 'mcp-readers', module: 'mcp-readers', library: 'encoding/json', oldest: 21 }),
};

/** A process that reads many bodies. It ends with the test. */
export function messageReader(t: Test, language: string, { command, args }: Startable): MessageReader {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => end(child));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Found> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the reader in ${language} has ended`);
    return JSON.parse(value);
  };
  return {
    language,
    async ask(bodies) {
      // An empty line asks for all answers so far.
      child.stdin.write(`${bodies.map((body) => `${body.toString('base64')}\n`).join('')}\n`);
      const found: Found[] = [];
      while (found.length < bodies.length) found.push(await next());
      return found;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  child.kill('SIGKILL');
  await exited;
}
