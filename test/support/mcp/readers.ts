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

export interface Reader<Answer> {
  ask(texts: readonly Buffer[]): Promise<readonly Answer[]>;
}

/** A script of test/peers/python that needs no library. */
export function pythonScript(name: string): Peer {
  const { status } = spawnSync('python3', ['--version'], { timeout: 20_000 });
  const script = fileURLToPath(new URL(`../../peers/python/${name}`, import.meta.url));
  return status === 0 ? { command: 'python3', args: [script] } : { missing: 'no python3 on the PATH' };
}

export const messageReaders: Readonly<Record<string, () => Peer>> = {
  Python: () => pythonScript('mcp_reader.py'),
  Go: () => goPeer({ name: 'mcp-readers', module: 'mcp-readers', library: 'encoding/json', oldest: 21 }),
};

/** A process that reads many texts. It ends with the test. */
export function startReader<Answer>(t: Test, { command, args }: Startable): Reader<Answer> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => end(child));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Answer> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} has ended`);
    return JSON.parse(value);
  };
  return {
    async ask(texts) {
      // An empty line asks for all answers so far.
      child.stdin.write(`${texts.map((text) => `${text.toString('base64')}\n`).join('')}\n`);
      const found: Answer[] = [];
      while (found.length < texts.length) found.push(await next());
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
