import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Test } from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

export interface Printed {
  readonly status: number;
  readonly output: string;
}

/** One bash, like the one that a reader keeps open beside the page: variables and background processes stay. */
export interface Shell {
  enter(statement: string): Promise<Printed>;
  /** All output so far, also of background processes. */
  output(): string;
}

const MARK = '--- the statement is done:';

/** A separate descriptor carries the statements, so that no command of the page can read them. */
const LOOP = `
  while IFS= read -r -d '' -u 3 statement; do eval "$statement"; printf '\\n%s %s\\n' '${MARK}' $?; done
  kill $(jobs -p) 2> /dev/null; wait`;

/**
 * The output goes to a file. A Node.js in the background would make a pipe non-blocking for curl too, which then
 * sometimes fails with exit 23.
 */
export function shell(t: Test, cwd: string, env: Readonly<Record<string, string>>): Shell {
  const folder = temporaryFolder(t);
  const file = join(folder, 'printed');
  const out = openSync(file, 'a');
  const bash = spawn('bash', ['-c', LOOP], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', out, out, 'pipe'],
  });
  closeSync(out);
  const statements = bash.stdio[3] as Writable;
  t.teardown(async () => {
    const closed = once(bash, 'close');
    statements.end();
    await closed;
  });
  const output = () => readFileSync(file, 'utf8');
  let read = 0;
  const next = () => new RegExp(`^([\\s\\S]*?)\\n${MARK} (\\d+)\\n`).exec(output().slice(read));
  return {
    output,
    async enter(statement) {
      statements.write(`${statement}\0`);
      if (!(await until(() => next() !== null, 60_000)))
        throw new Error(`no end of: ${statement}\n${output().slice(read)}`);
      const [whole, printed = '', status] = next() ?? [''];
      read += whole.length;
      return { status: Number(status), output: printed };
    },
  };
}
