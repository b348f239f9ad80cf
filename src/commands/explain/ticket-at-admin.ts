import { request } from 'undici';
import { pickTicketRecord } from '../../gateway/telemetry/ticket-record.ts';
import type { OpenedTicket } from '../../gateway/telemetry/tickets.ts';
import type { ListenerConnection } from '../common/listener-connection.ts';

/** Milliseconds. */
const PATIENCE = 2000;

/**
 * Asks the running gateway to open a ticket. `unreachable`: no admin listener of a gateway answers there. `protected`: it answers
 * only to operators who are logged in.
 */
export async function openAtAdmin(url: string, connection: ListenerConnection): Promise<OpenedTicket | NotOpened> {
  try {
    const { statusCode, body } = await request(url, { ...connection, signal: AbortSignal.timeout(PATIENCE) });
    return read(statusCode, JSON.parse(await body.text()));
  } catch {
    return { kind: 'unreachable' };
  }
}

interface NotOpened {
  readonly kind: 'unreachable' | 'protected';
}

const failures: ReadonlySet<string> = new Set(['not_a_ticket', 'unknown_key', 'broken']);

function read(status: number, answer: unknown): Awaited<ReturnType<typeof openAtAdmin>> {
  if (status === 401) return { kind: 'protected' };
  const record = status === 200 ? pickTicketRecord(answer) : undefined;
  if (record !== undefined) return { kind: 'opened', record };
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined;
  return isFailure(error) ? { kind: error } : { kind: 'unreachable' };
}

function isFailure(word: unknown): word is Exclude<OpenedTicket['kind'], 'opened'> {
  return typeof word === 'string' && failures.has(word);
}
