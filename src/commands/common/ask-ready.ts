import { request } from 'undici';
import { answerWithin } from '../../base/answer-within.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { type ListenerConnection, listenerConnection } from './listener-connection.ts';
import { type AskedListener, listenerUrl } from './listener-url.ts';

/** The state of a program, as its `health` or `admin` listener reports it. */
export type ProgramReadiness =
  | {
      readonly kind: 'ready' | 'not_ready';
      readonly text: string;
      readonly reason: string | undefined;
      /** The last failure. Undefined: the listener does not report it, for example because it is not on loopback. */
      readonly cause: string | undefined;
    }
  /** No program listens there, or it is not Gatehouse. */
  | { readonly kind: 'silent'; readonly url: string };

/** Milliseconds for the whole answer. */
const PATIENCE = 2000;

/** Asks at /readyz. `directory`: where relative filenames of the file start. Never rejects. */
export async function askReady(listener: AskedListener, directory: string): Promise<ProgramReadiness> {
  const url = listenerUrl(listener, '/readyz');
  try {
    const { statusCode, text } = await answerWithin(ask(url, listenerConnection(listener, directory)), PATIENCE);
    const { status, reason, cause } = parseJsonObject(Buffer.from(text)) ?? {};
    if (status !== 'ready' && status !== 'not ready') return { kind: 'silent', url };
    const kind = statusCode === 200 ? 'ready' : 'not_ready';
    return { kind, text, reason: textOf(reason), cause: textOf(cause) };
  } catch {
    return { kind: 'silent', url };
  }
}

function textOf(member: unknown): string | undefined {
  return typeof member === 'string' ? member : undefined;
}

/** The signal ends a request on an open connection. `answerWithin` in the caller ends the wait for a connection. */
async function ask(
  url: string,
  connection: ListenerConnection,
): Promise<{ readonly statusCode: number; readonly text: string }> {
  const { statusCode, body } = await request(url, { ...connection, signal: AbortSignal.timeout(PATIENCE) });
  return { statusCode, text: await body.text() };
}
