import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';
import type { Shell } from './shell.ts';

/** A program that a page leaves running, and how to see that it is there; without either the page itself waits for it. */
interface Program {
  readonly runs: RegExp;
  /** What its log says by then. */
  readonly says?: string;
  /** Where it accepts connections by then. */
  readonly port?: string;
}

const programs: readonly Program[] = [
  { runs: /gatehouse\.js (gateway|authorization|protect) / },
  { runs: /gatehouse\.js demo /, says: 'Ctrl-C ends the demo' },
  { runs: /^node -e '.*listen/, port: '9000' },
  { runs: /^python3 api\.py /, port: '9000' },
];

export const staysRunning = (statement: string) => /&\s*([A-Z]+=\$!)?\s*$/.test(withoutComment(statement));

const withoutComment = (statement: string) => statement.replace(/ # [^\n]*$/, '');

export interface Place {
  readonly directory: string;
  readonly shell: Shell;
  readonly ports: Readonly<Record<string, string>>;
}

/** Until what the statement left running can be used. Who pastes a block is as fast as a test, so its own waiting has to do. */
export async function ready(statement: string, { directory, shell, ports }: Place): Promise<void> {
  const program = programs.find(({ runs }) => runs.test(statement));
  if (program === undefined) throw new Error(`nobody knows when this is ready: ${statement}`);
  const { says, port } = program;
  if (port !== undefined) await accepts(Number(ports[port]), statement);
  if (says === undefined) return;
  const file = logOf(statement, directory);
  const log = () => (file === undefined ? shell.output() : textOf(file));
  if (!(await until(() => log().includes(says), 30_000))) throw new Error(`${statement}: ${log()}`);
}

/** Takes away what an earlier run of the program wrote there: it would look ready at once. */
export function forgetLog(statement: string, directory: string): void {
  const file = logOf(statement, directory);
  if (file !== undefined) rmSync(file, { force: true });
}

function logOf(statement: string, directory: string): string | undefined {
  const name = / > (\S+)/.exec(statement)?.[1];
  return name === undefined ? undefined : join(directory, name);
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

async function accepts(port: number, statement: string): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; await new Promise((r) => setTimeout(r, 20))) {
    const client = await connectTo(port).catch(() => undefined);
    client?.destroy();
    if (client !== undefined) return;
  }
  throw new Error(`nothing listens: ${statement}`);
}
