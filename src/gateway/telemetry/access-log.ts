import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { lineFile } from '../../base/line-file.ts';
import { loggedFaults } from '../../base/logged-faults.ts';
import { standardOutput } from '../../base/turn-lines.ts';
import type { AccessLogConfig } from '../../config/schema/gateway.ts';
import { combinedLine } from './combined-line.ts';
import type { Decision } from './decision-record.ts';
import { ecsLine } from './ecs-line.ts';

/** Writes one line for each request. No request waits for it, or fails because of it. */
export interface AccessLog {
  write(decision: Decision): void;
  /** Lines that could not be written, or not fast enough, since the start. */
  readonly lost: number;
  /** Opens the file for appending, and rejects if that fails. Without this call, the first line opens it. */
  open(): Promise<void>;
  /** The file was renamed, so the next line begins a new file. */
  reopen(): void;
  /** Resolves when all lines are written or lost. */
  close(): Promise<void>;
}

export interface AccessLogOptions {
  /** Where relative filenames start. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Undefined: no log is configured. */
export function buildAccessLog(
  config: AccessLogConfig | undefined,
  { directory, clock, log }: AccessLogOptions,
): AccessLog | undefined {
  if (config === undefined) return undefined;
  const format = formats[config.format];
  const lineOf = (decision: Decision) => format(decision, clock.now() - decision.milliseconds);
  return config.file === '-'
    ? onStandardOutput(lineOf)
    : inFile(resolve(directory, config.file), lineOf, { clock, log });
}

type LineOf = (decision: Decision) => string;

const formats: Readonly<Record<AccessLogConfig['format'], (decision: Decision, began: number) => string>> = {
  combined: combinedLine,
  ecs: ecsLine,
};

function onStandardOutput(lineOf: LineOf): AccessLog {
  return {
    write: (decision) => standardOutput().write(`${lineOf(decision)}\n`),
    lost: 0,
    open: async () => {},
    reopen: () => {},
    close: async () => {},
  };
}

function inFile(name: string, lineOf: LineOf, { clock, log }: Pick<AccessLogOptions, 'clock' | 'log'>): AccessLog {
  const file = lineFile(name, clock);
  const failed = loggedFaults(clock, log, 'the access log cannot be written: its lines are lost');
  let lost = 0;
  const lose = (fault: Error | undefined) => {
    lost++;
    failed(fault);
  };
  return {
    write: (decision) => file.append(lineOf(decision), lose),
    get lost() {
      return lost;
    },
    open: () => file.open(),
    reopen: () => file.reopen(),
    close: () => file.close(),
  };
}
