import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { readableByEverybody } from '../../base/file-mode.ts';
import { lineFile, type TurnOver } from '../../base/line-file.ts';
import { type UnredactedLine, withoutRedaction } from '../../base/log.ts';
import { loggedFaults } from '../../base/logged-faults.ts';
import { StorageUnusable } from '../../storage/engine/errors.ts';
import { buildTally } from './audit-tally.ts';
import { type FileRetention, putAside, removeOld } from './full-files.ts';

/** Events that a later reader needs: logins, grants, revocations, and possible attacks. */
export type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_throttled'
  | 'login_ceiling'
  | 'logout'
  | 'backchannel_logout'
  | 'backchannel_logout_delayed'
  | 'backchannel_logout_refused'
  | 'backchannel_logout_failed'
  | 'security_event'
  | 'security_event_delayed'
  | 'security_event_refused'
  | 'security_event_failed'
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
  | 'client_throttled'
  | 'client_limited'
  | 'client_added'
  | 'client_registered'
  | 'client_changed'
  | 'registration_limited'
  | 'client_secret_rotated'
  | 'client_removed'
  | 'client_tokens_revoked'
  | 'user_added'
  | 'password_set'
  | 'user_removed'
  | 'user_key_rotated'
  | 'digest_user_set'
  | 'digest_user_removed'
  | 'api_key_created'
  | 'api_key_rotated'
  | 'api_key_revoked'
  | 'api_key_imported'
  | 'password_imported'
  | 'key_rotated'
  | 'keys_resealed';

/** Never a token, a code, a secret or a password. */
export interface AuditFacts extends UnredactedLine {
  readonly client_id?: string | undefined;
  readonly sub?: string | undefined;
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  readonly request_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly kid?: string | undefined;
  readonly scope?: string | undefined;
  readonly realm?: string | undefined;
  /** The receiver of a security event, as the file names it. */
  readonly receiver?: string | undefined;
  /** The kind of a security event. */
  readonly type?: string | undefined;
  readonly detail?: string | undefined;
  /** The number of further events that this line counts. Undefined: the line is about one event. */
  readonly count?: number | undefined;
}

export interface Audit {
  record(event: AuditEvent, facts: AuditFacts): void;
  /** For unlimited events: records the first, and at the end of the window the number of the others. */
  count(event: AuditEvent, facts: AuditFacts): void;
  /** Rejects with `StorageUnusable` if the file cannot be opened. Without this call, the first event opens the file. */
  open(): Promise<void>;
  /** Resolves when all records are written. */
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Milliseconds; the window for counted events. */
  readonly window?: number;
  /** Only for the service. A command beside a running service only appends, and leaves rotation to the service. */
  readonly kept?: FileRetention;
}

const EVERYTHING: FileRetention = { maxSize: 'none', files: 1, maxAge: 'none' };

/** Writes JSON lines to a file of mode 0600. Without a file, or if it cannot be written, the lines go to the log. */
export function buildAudit(
  file: string | undefined,
  clock: Clock,
  log: Logger,
  { window = A_WINDOW, kept = EVERYTHING }: AuditOptions = {},
): Audit {
  // Audit events do not depend on the log level.
  const level = log.level === 'silent' ? 'silent' : 'info';
  const lines = { events: withoutRedaction(log, { level }), faults: log.child({}, { level }) };
  return counting(file === undefined ? logged(lines.events) : filed(file, { clock, kept, ...lines }), window);
}

/** Milliseconds: the default of `login.window`. */
const A_WINDOW = 900_000;

type Recorder = Omit<Audit, 'count'>;

function counting(recorder: Recorder, window: number): Audit {
  const tally = buildTally<AuditEvent, AuditFacts>({
    window,
    others: { detail: 'others' },
    tell(event, { request_id, ...facts }, count) {
      recorder.record(event, count === undefined ? { ...facts, request_id } : { ...facts, count });
    },
  });
  return {
    ...recorder,
    count: tally.count,
    close() {
      tally.flush();
      return recorder.close();
    },
  };
}

function logged(log: Logger): Recorder {
  return {
    record: (event, facts) => log.info({ event, ...facts }, 'audit'),
    open: async () => {},
    close: async () => {},
  };
}

/** Milliseconds between two checks for full files that are too old. */
const LOOK_EVERY = 3_600_000;

/** Rotation must not lose a line. If rotation fails, the file keeps growing. */
function keeping(name: string, kept: FileRetention, { clock, log }: { clock: Clock; log: Logger }) {
  let isOurs = false;
  let looksAt = Number.NEGATIVE_INFINITY;
  const failed = loggedFaults(clock, log, 'cannot rotate or remove audit files');
  const keep: TurnOver = async (handle) => {
    if (!isOurs) return false;
    const turned = await putAside(name, handle, kept);
    if (!turned && clock.monotonic() < looksAt) return false;
    looksAt = clock.monotonic() + LOOK_EVERY;
    await removeOld(name, kept, clock.now()).catch(failed);
    return turned;
  };
  const begin = () => {
    isOurs = true;
  };
  const turnOver: TurnOver = async (handle) => {
    try {
      return await keep(handle);
    } catch (error) {
      failed(error as Error);
      return false;
    }
  };
  return { begin, turnOver };
}

interface FileParts {
  readonly clock: Clock;
  readonly kept: FileRetention;
  /** For events that the file does not get, and for faults of the file. */
  readonly events: Logger;
  readonly faults: Logger;
}

function filed(name: string, { clock, kept, events, faults }: FileParts): Recorder {
  const { begin, turnOver } = keeping(name, kept, { clock, log: faults });
  const file = lineFile(name, clock, turnOver);
  const failed = loggedFaults(clock, faults, 'cannot write the audit file');
  return {
    record(event, facts) {
      const line = JSON.stringify({ time: new Date(clock.now()).toISOString(), event, ...facts });
      file.append(line, (fault) => {
        failed(fault);
        events.warn({ event, ...facts }, 'audit');
      });
    },
    async open() {
      begin();
      await file.open().catch((error) => {
        throw new StorageUnusable(`the audit file: ${error.message}`, { cause: error });
      });
      const open = readableByEverybody(name);
      if (open !== undefined) faults.warn(open);
    },
    close: () => file.close(),
  };
}
