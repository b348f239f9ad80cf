import type { Logger } from 'pino';

export type GatewayLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Tells the log when a dependency stops answering, for another reason, or answers again; not every time it is asked. */
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
