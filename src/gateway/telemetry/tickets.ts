import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Code } from '../message/codes.ts';
import type { Decision } from './decision-record.ts';
import { openTicket, ticketSealer, type UnsealedTicket } from './ticket.ts';
import { readTicketRecord, type TicketRecord, writeMalformedRecord, writeTicketRecord } from './ticket-record.ts';

/** The tickets of one process. */
export interface Tickets {
  seal(decision: Decision): string;
  /** For bytes that never became a request. */
  sealMalformed(code: Code): string;
  open(ticket: string): OpenedTicket;
}

export type OpenedTicket =
  | { readonly kind: 'opened'; readonly record: TicketRecord }
  | Exclude<UnsealedTicket, { record: string }>;

/**
 * The first key encrypts, and all keys decrypt. Without keys, the process uses a random key, and only this process can
 * open its tickets.
 */
export function buildTickets(texts: readonly string[] | undefined, clock: Clock): Tickets {
  const keys = ticketKeys(texts);
  if (keys.length === 0) keys.push(randomBytes(32));
  const seal = ticketSealer(keys[0] as Buffer);
  return {
    seal: (decision) => seal(writeTicketRecord(decision, clock.now())),
    sealMalformed: (code) => seal(writeMalformedRecord(code, clock.now())),
    open: (ticket) => readTicket(keys, ticket),
  };
}

export function readTicket(keys: readonly Uint8Array[], ticket: string): OpenedTicket {
  const opened = openTicket(keys, ticket);
  if (opened.kind !== 'opened') return opened;
  const record = readTicketRecord(opened.record);
  return record === undefined ? { kind: 'not_a_ticket' } : { kind: 'opened', record };
}

/** The form of the keys was checked when the file was loaded. */
export function ticketKeys(texts: readonly string[] = []): Buffer[] {
  return texts.map((text) => Buffer.from(text, 'base64'));
}
