import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { readableByEverybody } from '../base/file-mode.ts';
import { StorageUnusable } from '../storage/errors.ts';
import { lineFile } from './line-file.ts';

/** What a later reader asks about: who got in, who was let in, what was taken away, what looked like an attack. */
export type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_throttled'
  | 'logout'
  | 'session_ended'
  | 'signed_out_everywhere'
  | 'consent_granted'
  | 'consent_denied'
  | 'app_disconnected'
  | 'code_replayed'
  | 'code_refused'
  | 'refresh_reuse'
  | 'refresh_refused'
  | 'token_revoked'
  | 'client_refused'
  | 'client_added'
  | 'client_secret_rotated'
  | 'client_removed'
  | 'client_tokens_revoked'
  | 'user_added'
  | 'password_set'
  | 'user_removed'
  | 'user_key_rotated'
  | 'digest_user_set'
  | 'digest_user_removed'
  | 'password_imported'
  | 'key_rotated';

/** Never a token, a code, a secret or a password. */
export interface AuditFacts {
  readonly client_id?: string | undefined;
  readonly sub?: string | undefined;
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly kid?: string | undefined;
  readonly scope?: string | undefined;
  readonly realm?: string | undefined;
  readonly detail?: string | undefined;
}

export interface Audit {
  record(event: AuditEvent, facts: AuditFacts): void;
  /** Rejects with `StorageUnusable` where the file cannot be opened; without it, the first event opens it. */
  open(): Promise<void>;
  /** When what was recorded is written. */
  close(): Promise<void>;
}

/** Lines of JSON, appended to a file of mode 0600; without a file, and while it cannot be written, they go to the log. */
export function buildAudit(file: string | undefined, clock: Clock, log: Logger): Audit {
  // an event is no matter of how much else is logged
  const events = log.child({}, { level: log.level === 'silent' ? 'silent' : 'info' });
  return file === undefined ? logged(events) : filed(file, clock, events);
}

function logged(log: Logger): Audit {
  return {
    record: (event, facts) => log.info({ event, ...facts }, 'audit'),
    open: async () => {},
    close: async () => {},
  };
}

function filed(name: string, clock: Clock, log: Logger): Audit {
  const file = lineFile(name, clock);
  const failed = told(log);
  return {
    record(event, facts) {
      const line = JSON.stringify({ time: new Date(clock.now()).toISOString(), event, ...facts });
      file.append(line, (fault) => {
        failed(fault);
        log.warn({ event, ...facts }, 'audit');
      });
    },
    async open() {
      await file.open().catch((error) => {
        throw new StorageUnusable(`the audit file: ${error.message}`, { cause: error });
      });
      const open = readableByEverybody(name);
      if (open !== undefined) log.warn(open);
    },
    close: () => file.close(),
  };
}

/** One fault meets many events, and is told once. */
function told(log: Logger): (fault: Error | undefined) => void {
  let last: Error | undefined;
  return (fault) => {
    if (fault !== undefined && fault !== last) log.error({ err: fault }, 'the audit file cannot be written');
    last = fault ?? last;
  };
}
