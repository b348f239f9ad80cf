import { request } from 'undici';
import { pickTicketRecord } from '../../gateway/telemetry/ticket-record.ts';
import type { OpenedTicket } from '../../gateway/telemetry/tickets.ts';

/** Milliseconds. */
const PATIENCE = 2000;

/** Asks the running gateway to open a ticket. `unreachable`: no admin listener of a gateway answers there. */
export async function openAtAdmin(url: string): Promise<OpenedTicket | { readonly kind: 'unreachable' }> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(PATIENCE) });
    return read(statusCode, JSON.parse(await body.text()));
  } catch {
    return { kind: 'unreachable' };
  }
}

const failures: ReadonlySet<string> = new Set(['not_a_ticket', 'unknown_key', 'broken']);

function read(status: number, answer: unknown): Awaited<ReturnType<typeof openAtAdmin>> {
  const record = status === 200 ? pickTicketRecord(answer) : undefined;
  if (record !== undefined) return { kind: 'opened', record };
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined;
  return isFailure(error) ? { kind: error } : { kind: 'unreachable' };
}

function isFailure(word: unknown): word is Exclude<OpenedTicket['kind'], 'opened'> {
  return typeof word === 'string' && failures.has(word);
}
