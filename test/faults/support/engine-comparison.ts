import { ForeignAnswer } from '../../../src/gateway/upstreams/own/invalid-answer.ts';
import type { AnswerCase, Seen, SeenHead } from './answer-case.ts';

/** equal and stricter are right. Anything else is a defect, or has a row in `differences`. */
export type Compared =
  | { readonly kind: 'equal' }
  | { readonly kind: 'stricter'; readonly reason: string }
  | { readonly kind: 'known'; readonly reason: string }
  | { readonly kind: 'wrong'; readonly reason: string };

interface Difference {
  readonly name: string;
  /** Why it is right. */
  readonly because: string;
  readonly holds: (answer: AnswerCase, own: Seen, other: Seen) => boolean;
}

const message = (seen: Seen): string => seen.error?.message ?? '';

const TAB_BEHIND_FRAMING = /(?:content-length|transfer-encoding|connection|upgrade):[^\r\n]*\t *\r\n/i;

/** Where our engine and undici differ, and ours is not only stricter. */
export const differences: readonly Difference[] = [
  {
    name: '100 Continue that nobody asked for',
    because: 'RFC 9110 §15.2: a client reads interim answers that it does not expect; undici ends the connection',
    holds: (_, own) => own.heads.some(({ status }) => status === 100),
  },
  {
    name: 'a tab behind a value that frames or switches',
    because: 'RFC 9110 §5.5: white space around a value is no part of it; llhttp takes it for a part of the coding',
    holds: ({ bytes }) => TAB_BEHIND_FRAMING.test(bytes),
  },
  {
    name: 'content announced by a 204 or 304',
    because: 'RFC 9112 §6.3: there is none; undici waits for it or calls it cut short. The connection is closed',
    holds: (_, own) => own.end === 'complete' && !own.isKept && /^(204|304)$/.test(String(own.heads.at(-1)?.status)),
  },
  {
    name: 'a line that is wrong before its end',
    because: 'a head and a line are judged whole: until then nothing is given, and the time of the answer goes on',
    holds: (_, own, other) => own.end === 'waiting' && other.end === 'failed' && partOf(own, other) === undefined,
  },
];

const EQUAL: Compared = { kind: 'equal' };

export function compare(answer: AnswerCase, own: Seen, other: Seen): Compared {
  const wrong = wrongWith(own, other);
  if (wrong !== undefined) {
    const known = differences.find(({ holds }) => holds(answer, own, other));
    return known === undefined ? { kind: 'wrong', reason: wrong } : { kind: 'known', reason: known.name };
  }
  if (own.end === other.end && own.isKept === other.isKept) return EQUAL;
  return { kind: 'stricter', reason: own.end === other.end ? 'the connection is closed' : message(own) };
}

/** Undefined: there is no difference. */
function wrongWith(own: Seen, other: Seen): string | undefined {
  if (own.isKept && !other.isKept) return 'it keeps the connection';
  if (own.error instanceof ForeignAnswer && !hasHead(other)) return 'it leaves to undici what undici does not read';
  if (own.end === 'failed') return isTyped(own) ? partOf(own, other) : `it throws ${own.error?.stack}`;
  if (own.end !== other.end) return `it is ${own.end}, and the other ${other.end}`;
  if (own.end === 'waiting') return partOf(own, other);
  return isSame(own, other) ? undefined : 'it gives something else';
}

function isTyped({ error }: Seen): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'INVALID_ANSWER' || code === 'ECONNRESET';
}

function hasHead({ heads }: Seen): boolean {
  return heads.some(({ status }) => status >= 200);
}

/** Everything before the end is something that the other engine also returned. */
function partOf(own: Seen, other: Seen): string | undefined {
  if (own.heads.length > other.heads.length) return 'it gives a head that the other does not';
  if (!own.heads.every((head, index) => isSameHead(head, other.heads[index]))) return 'it gives another head';
  if (!other.content.startsWith(own.content)) return 'it gives content that the other does not';
  return undefined;
}

function isSame(own: Seen, other: Seen): boolean {
  if (own.heads.length !== other.heads.length || own.content !== other.content) return false;
  return areSameFields(own.trailers, other.trailers) && partOf(own, other) === undefined;
}

function isSameHead(own: SeenHead, other: SeenHead | undefined): boolean {
  return own.status === other?.status && areSameFields(own.fields, other.fields);
}

/** llhttp keeps whitespace after values, which is not part of them (RFC 9110 §5.5). */
function areSameFields(own: readonly string[], other: readonly string[]): boolean {
  return own.length === other.length && own.every((text, index) => text === other[index]?.replace(/[\t ]+$/, ''));
}
