import { request } from 'undici';
import { isObject, type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import { refusalIn } from './refusal.ts';
import { decisionsUrl, fieldsOf, type Replica } from './replica.ts';
import { requestFault } from './request-fault.ts';

/** Milliseconds. */
const PATIENCE = 10_000;

export type Recent =
  | { readonly ok: true; readonly rows: readonly JsonObject[] }
  | { readonly ok: false; readonly detail: string };

/** The decisions that a gateway has in memory, oldest first. Never rejects. */
export async function recentDecisions(replica: Replica, filter: string): Promise<Recent> {
  try {
    const answer = await request(decisionsUrl(replica, filter), {
      ...replica.connection,
      headers: fieldsOf(replica, 'application/json'),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const refusal = await refusalIn(answer, replica, 'application/json');
    if (refusal !== undefined) return { ok: false, detail: refusal.detail };
    const { decisions } = parseJsonObject(Buffer.from(await answer.body.arrayBuffer())) ?? {};
    if (!Array.isArray(decisions)) return { ok: false, detail: 'the answer has no decisions' };
    return { ok: true, rows: decisions.filter(isObject) };
  } catch (error) {
    return { ok: false, detail: requestFault(error) };
  }
}
