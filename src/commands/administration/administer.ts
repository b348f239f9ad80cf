import { type OpenService, openService } from '../../authorization/open-service.ts';
import type { Service } from '../../authorization/service/service.ts';
import type { AuditEvent, AuditFacts } from '../../authorization/telemetry/audit.ts';
import { buildLog } from '../../base/log.ts';
import { printableJson } from '../../base/printable.ts';
import { formatProblems, loadAuthorizationConfig } from '../../config/load/load.ts';
import { StorageUnavailable, StorageUnusable } from '../../storage/engine/errors.ts';

/** The reason why a command fails, as one line for the operator. */
export class Refusal extends Error {}

export interface Administered {
  /** authorization.yaml. */
  readonly config: string;
  readonly json?: true | undefined;
}

export interface Audited {
  readonly event: AuditEvent;
  readonly facts: AuditFacts;
}

/** The result of a command, for programs and for people. */
export interface CommandReport {
  readonly json: unknown;
  readonly text: string;
  /** The audit event; absent if nothing changed. */
  readonly audit?: Audited;
}

/** Runs on the store that the file names, with or without a running service, and prints the result. */
export async function administer(
  options: Administered,
  act: (service: Service) => Promise<CommandReport>,
): Promise<void> {
  const loaded = loadAuthorizationConfig(options.config);
  if (!loaded.ok) return giveUp(formatProblems(loaded.problems));
  let opened: OpenService | undefined;
  try {
    // Standard output is for the report.
    const log = buildLog({ level: 'warn', format: 'json' }, process.stderr);
    opened = await openService(loaded.config, { directory: loaded.directory, log });
    const { json, text, audit } = await act(opened.service);
    if (audit !== undefined) opened.service.audit.record(audit.event, { detail: 'by command', ...audit.facts });
    process.stdout.write(options.json ? printableJson(json) : text);
  } catch (error) {
    if (!isForOperator(error)) throw error;
    giveUp(`gatehouse: ${error.message}\n`);
  } finally {
    await opened?.close();
  }
}

function isForOperator(error: unknown): error is Error {
  return error instanceof Refusal || error instanceof StorageUnusable || error instanceof StorageUnavailable;
}

function giveUp(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}
