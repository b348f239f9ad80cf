import type { Logger } from 'pino';

export type GatewayLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Logs when a dependency stops answering, fails for another reason, or answers again. It does not log every call. */
export interface FaultLog {
  failed(detail: string, level?: 'warn' | 'error'): void;
  recovered(): void;
}

export function faultLog(log: GatewayLog, fields: Readonly<Record<string, string>>, what: string): FaultLog {
  let last: string | undefined;
  return {
    failed(detail, level = 'warn') {
      if (detail !== last) log[level]({ ...fields, detail }, `${what}: failed`);
      last = detail;
    },
    recovered() {
      if (last !== undefined) log.info(fields, `${what}: answers again`);
      last = undefined;
    },
  };
}
