import type { Logger } from 'pino';
import { connectionRemedy } from './connection-faults.ts';

export type GatewayLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Logs when a dependency stops answering, fails for another reason, or answers again. It does not log every call. */
export interface FaultLog {
  /** `url`: what the gateway asked, in the form for logs. */
  failed(detail: string, level?: 'warn' | 'error', url?: string): void;
  recovered(): void;
}

/** `task`: a verb with its object. The line says that the gateway cannot do this, or can do it again. */
export function faultLog(log: GatewayLog, fields: Readonly<Record<string, string>>, task: string): FaultLog {
  let last: string | undefined;
  return {
    failed(detail, level = 'warn', url) {
      if (detail === last) return;
      const remedy = connectionRemedy(detail);
      log[level]({ ...fields, ...(url && { url }), detail, ...(remedy && { remedy }) }, `cannot ${task}`);
      last = detail;
    },
    recovered() {
      if (last !== undefined) log.info(fields, `can ${task} again`);
      last = undefined;
    },
  };
}
