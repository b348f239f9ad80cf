import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

/** A program of this folder in a separate process, which answers each line with a line of JSON. */
export interface AskedProcess<Answer> {
  ask(line?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** `plan` is its first line, which gets no answer. Ended with the test. */
export function askedProcess<Answer>(t: Test, program: string, plan: object): AskedProcess<Answer> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(plan)}\n`);
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  t.teardown(stop);
  return {
    async ask(line = '') {
      child.stdin.write(`${line}\n`);
      const answer = await lines.next();
      if (answer.done === true) throw new Error(`${program} has ended`);
      return JSON.parse(answer.value);
    },
    stop,
  };
}
