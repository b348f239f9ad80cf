import { request } from 'undici';
import { answerWithin } from '../../base/answer-within.ts';
import type { Address } from '../../config/words/schema.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { listenerUrl } from './listener-url.ts';

/** What the `health` or `admin` listener of a program says of it. */
export type ProgramReadiness =
  | {
      readonly kind: 'ready' | 'not_ready';
      readonly text: string;
      readonly reason: string | undefined;
      /** What failed last; undefined: it does not say, as on a listener that is not on loopback. */
      readonly cause: string | undefined;
    }
  /** No program listens there, or another one does. */
  | { readonly kind: 'silent'; readonly url: string };

/** Milliseconds for the whole of an answer. */
const PATIENCE = 2000;

/** Asks at /readyz. Never rejects. */
export async function askReady(listener: Address): Promise<ProgramReadiness> {
  const url = listenerUrl(listener, '/readyz');
  try {
    const { statusCode, text } = await answerWithin(ask(url), PATIENCE);
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

/** The signal ends an open connection. If none opens, this ends the wait. */
async function ask(url: string): Promise<{ readonly statusCode: number; readonly text: string }> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(PATIENCE) });
  return { statusCode, text: await body.text() };
}
