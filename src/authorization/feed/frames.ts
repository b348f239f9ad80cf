import type { EventRecord } from '../../storage/records/records.ts';
import type { ResetReason } from './cursor.ts';

type Told = Pick<EventRecord, 'seq' | 'kind' | 'key' | 'until' | 'nbf'>;

/** A comment line. It means that all events so far have been sent. */
export const inStep = Buffer.from(':\n\n');

/** Has the number 0, so that a follower that is interrupted after it starts from the beginning. */
export function resetEvent(reason: ResetReason): Told {
  return { seq: 0, kind: 'reset', key: reason, until: 0, nbf: undefined };
}

/** WHATWG HTML §9.2.5. JSON contains no line breaks, so one line is enough. */
export function frameOf({ seq, kind, ...event }: Told): string {
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(dataOf(event))}\n\n`;
}

/** The bytes of these events. All followers that get the same events share them, also while they wait to be read. */
export function bytesOf(events: readonly EventRecord[]): Buffer {
  const known = serialized.get(events);
  if (known !== undefined) return known;
  const bytes = Buffer.from(events.map(frameOf).join(''));
  serialized.set(events, bytes);
  return bytes;
}

const serialized = new WeakMap<readonly EventRecord[], Buffer>();

/** The same event for a long poll. */
export function memberOf({ seq, kind, ...event }: Told) {
  return { seq, kind, ...dataOf(event) };
}

function dataOf({ key, until, nbf }: Pick<Told, 'key' | 'until' | 'nbf'>) {
  return { key, until, ...(nbf !== undefined && { nbf }) };
}
