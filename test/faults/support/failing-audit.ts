import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { grant, linesOf, requestsOf, serviceFile, shop } from './disk-service.ts';
import { type Program, program, recovers } from './program.ts';

export interface FailingAudit {
  /** Of the file, and of the database. */
  readonly directory: string;
  readonly rounds: number;
  /** Milliseconds until the file is writable again. */
  readonly recovery: number;
  /** From here on the file is not writable. Returns a function that restores it. */
  readonly fail: (audit: string, served: Program) => Promise<() => unknown>;
}

/**
 * A service that refuses a client repeatedly while its audit file fails and recovers. Each event must be in the file or
 * in the log. Returns the lines of the file.
 */
export async function failingAudit(
  t: Test,
  { directory, rounds, recovery, fail }: FailingAudit,
): Promise<ReturnType<typeof linesOf>> {
  const audit = join(directory, 'audit.jsonl');
  const served = await program(t, 'authorization', () =>
    serviceFile(`storage: sqlite:gatehouse.db\naudit: { file: ${audit} }`),
  );
  let refused = 0;
  const refuse = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const response = await grant(served, { ...shop, secret: `cs_wrong-secret-of-32-bytes-${refused++}` });
      t.equal(response.status, 401);
    }
  };
  for (let round = 0; round < rounds; round++) {
    await refuse(30);
    const mend = await fail(audit, served);
    await refuse(60);
    t.equal((await grant(served)).status, 200, 'tokens are given out as ever');
    await mend();
    await pause(1_100);
    const { length } = readFileSync(audit);
    await refuse(5);
    await recovers(t, 'it is written again', async () => readFileSync(audit).length > length, recovery);
  }
  served.child.kill('SIGTERM');
  await served.ended;
  const text = readFileSync(audit, 'utf8');
  t.equal(requestsOf('client_refused', text, served.output()).size, refused, 'none is missing');
  const isTold = ({ msg }: Record<string, unknown>) => msg === 'cannot write the audit file';
  t.ok(linesOf(served.output()).whole.some(isTold), 'it is said');
  t.comment(`${requestsOf('client_refused', served.output()).size} of ${refused} in the log`);
  return linesOf(text);
}
