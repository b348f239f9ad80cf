import { entry, isCode } from '../../message/codes.ts';
import { operatorRemedy } from '../../message/operator-remedy.ts';
import type { TicketRecord } from '../../telemetry/ticket-record.ts';

/** What a ticket holds, with the words of its code that `gatehouse why` also prints. */
export interface TicketView extends TicketRecord {
  readonly text?: string;
  /** What to do. Undefined: the ticket is of another version, with an unknown code. */
  readonly remedy?: string;
}

export function viewTicket(record: TicketRecord): TicketView {
  const { code = '' } = record;
  if (!isCode(code)) return record;
  return { ...record, text: entry(code).text, remedy: operatorRemedy(code, record.reason) };
}
