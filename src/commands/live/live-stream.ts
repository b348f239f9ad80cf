import type { Readable } from 'node:stream';
import { request } from 'undici';
import { EventStreamReader } from '../../gateway/revocation/event-stream.ts';
import type { Totals } from '../../gateway/telemetry/result.ts';
import { isObject, type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import { type LiveEnd, refusalIn } from './refusal.ts';
import { decisionsUrl, fieldsOf, type Replica } from './replica.ts';
import { requestFault } from './request-fault.ts';

/** Milliseconds without a byte. The gateway writes several times a second. */
const SILENCE = 20_000;
/** The first message has up to 2,000 decisions in one line. */
const LIMITS = { line: 64 * 1024 * 1024, lines: 8 };

/** One message of a gateway. */
export type ReceivedMessage =
  | { readonly kind: 'hello' }
  | {
      readonly kind: 'batch';
      /** Undefined: the gateway names none. */
      readonly id: string | undefined;
      /** Records of decisions, oldest first. */
      readonly rows: readonly JsonObject[];
      /** Decisions that match, and are not among the rows. */
      readonly left: number;
      /** Decisions of a gateway since its last message. */
      readonly totals: Totals;
    };

export interface LiveQuestion {
  readonly replica: Replica;
  readonly filter: string;
  readonly since: string | undefined;
}

/** Reads one stream of decisions until it ends, and returns why. Never rejects. */
export async function readLiveStream(
  { replica, filter, since }: LiveQuestion,
  take: (message: ReceivedMessage) => void,
  over: AbortSignal,
): Promise<LiveEnd> {
  const watch = new AbortController();
  const timer = setTimeout(() => watch.abort(), SILENCE);
  try {
    const answer = await request(decisionsUrl(replica, filter, since), {
      ...replica.connection,
      headers: fieldsOf(replica, 'text/event-stream'),
      signal: AbortSignal.any([over, watch.signal]),
      bodyTimeout: 0,
    });
    // A cancelled body emits an error that has no consequence.
    answer.body.on('error', () => {});
    const refusal = await refusalIn(answer, replica, 'text/event-stream');
    return refusal ?? (await readAll(answer.body, take, timer));
  } catch (error) {
    return { detail: requestFault(error), isFinal: false };
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(
  body: Readable,
  take: (message: ReceivedMessage) => void,
  timer: NodeJS.Timeout,
): Promise<LiveEnd> {
  const stream = new EventStreamReader(LIMITS);
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    timer.refresh();
    for (const item of stream.read(chunk)) {
      const message = item.kind === 'frame' ? messageOf(item) : undefined;
      if (message !== undefined) take(message);
      else if (item.kind !== 'comment') return { detail: 'the answer is not a stream of decisions', isFinal: true };
    }
  }
  return { detail: 'the gateway ended the stream', isFinal: false };
}

/** Undefined: not a message of a gateway. */
function messageOf({ event, data, id }: { event: string; data: string; id: string | undefined }) {
  if (event === 'hello') return { kind: 'hello' } as const;
  const { decisions, left, slow, totals } = parseJsonObject(Buffer.from(data)) ?? {};
  if (!Array.isArray(decisions) || !isObject(totals)) return undefined;
  const { passed, refused, failed } = totals;
  return {
    kind: 'batch',
    id,
    rows: decisions.filter(isObject),
    left: count(left) + count(slow),
    totals: { passed: count(passed), refused: count(refused), failed: count(failed) },
  } as const;
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}
