import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { StorageUnusable } from '../storage/errors.ts';

/** What a later reader asks about: who got in, who was let in, what was taken away, what looked like an attack. */
export type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_throttled'
  | 'logout'
  | 'session_ended'
  | 'consent_granted'
  | 'consent_denied'
  | 'app_disconnected'
  | 'code_replayed'
  | 'code_refused'
  | 'refresh_reuse'
  | 'refresh_refused'
  | 'token_revoked'
  | 'client_refused';

/** Never a token, a code, a secret or a password. */
export interface AuditFacts {
  readonly client_id?: string | undefined;
  readonly sub?: string | undefined;
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly scope?: string | undefined;
  readonly detail?: string | undefined;
}

export interface Audit {
  record(event: AuditEvent, facts: AuditFacts): void;
  /** When what was recorded is written. */
  close(): Promise<void>;
}

/** Lines of JSON, appended to a file of mode 0600; without a file they go to the log. */
export async function openAudit(file: string | undefined, clock: Clock, log: Logger): Promise<Audit> {
  if (file === undefined) return logged(log);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  const opened = Promise.withResolvers<void>();
  stream.once('open', () => opened.resolve());
  stream.once('error', ({ message }) => opened.reject(new StorageUnusable(`the audit file: ${message}`)));
  await opened.promise;
  stream.on('error', (error) => log.error({ err: error }, 'the audit log cannot be written'));
  return {
    record: (event, facts) =>
      void stream.write(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), event, ...facts })}\n`),
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}

function logged(log: Logger): Audit {
  return { record: (event, facts) => log.info({ event, ...facts }, 'audit'), close: async () => {} };
}
