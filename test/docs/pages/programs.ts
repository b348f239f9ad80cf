import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from '../../support/raw-client.ts';
import { until } from '../../support/until.ts';
import type { Shell } from './shell.ts';

/**
 * A program that a page leaves running, and how to detect that it runs. Without either, the page itself waits for it.
 */
interface Program {
  readonly runs: RegExp;
  /** A line that its log then has. */
  readonly says?: string;
  /** The address at which it then accepts connections. */
  readonly port?: string;
}

const programs: readonly Program[] = [
  { runs: /gatehouse\.js (gateway|authorization|protect) / },
  { runs: /gatehouse\.js demo /, says: 'Ctrl-C ends the demo' },
  { runs: /^node -e '.*listen/, port: '9000' },
  { runs: /^python3 api\.py /, port: '9000' },
  { runs: /server-everything.* streamableHttp /, port: '3001' },
];

export const staysRunning = (statement: string) => /&\s*([A-Z]+=\$!)?\s*$/.test(withoutComment(statement));

const withoutComment = (statement: string) => statement.replace(/ # [^\n]*$/, '');

export interface Place {
  readonly directory: string;
  readonly shell: Shell;
  readonly ports: Readonly<Record<string, string>>;
}

/**
 * Waits until the program that the statement started is usable. A reader who pastes a block is as fast as a test, so
 * the page's own waiting must suffice.
 */
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

/** Deletes the log of an earlier run, which would make the program look ready immediately. */
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
