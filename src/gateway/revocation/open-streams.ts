import { type Clock, seconds } from '../../base/clock.ts';
import { LinkedList } from '../../base/linked-list.ts';
import type { StreamEnd, TokenMarks } from '../message/identity.ts';
import { type FeedEventKind, isCutOff, type RevocationEvent } from './events.ts';

export interface OpenStream {
  readonly marks: TokenMarks | undefined;
  /** Seconds since the epoch from which the token is no longer accepted. Undefined: no end is known. */
  readonly endsAt: number | undefined;
  readonly end: (why: StreamEnd) => void;
}

/** Open streams that end with their token. */
export interface OpenStreams {
  /** Returns a function that removes the stream. */
  add(stream: OpenStream): () => void;
  ended(event: RevocationEvent): void;
  readonly size: number;
  close(): void;
}

/** Milliseconds. A shorter request is never indexed. */
const EVERY = 250;

const markOf: Readonly<Record<FeedEventKind, (marks: TokenMarks) => string | undefined>> = {
  kid: ({ kid }) => kid,
  jti: ({ jti }) => jti,
  gid: ({ gid }) => gid,
  token_hash: ({ hash }) => hash,
  sub_nbf: ({ subject }) => subject,
  client_nbf: ({ client }) => client,
};
const marksByKind = Object.entries(markOf) as [FeedEventKind, (marks: TokenMarks) => string | undefined][];

/** Most requests end at once, so they cost only one entry in a list. Longer ones are indexed by their marks. */
export function openStreams(clock: Clock): OpenStreams {
  const young = new LinkedList<OpenStream>();
  const settled = new Set<OpenStream>();
  const byMark = new Map<string, Set<OpenStream>>();
  const bySecond = new Map<number, Set<OpenStream>>();
  let timer: NodeJS.Timeout | undefined;
  let looked = seconds(clock);

  const settle = (stream: OpenStream) => {
    settled.add(stream);
    for (const name of namesOf(stream)) addTo(byMark, name, stream);
    if (stream.endsAt !== undefined) addTo(bySecond, Math.max(Math.ceil(stream.endsAt), looked), stream);
  };
  const remove = (stream: OpenStream) => {
    if (!settled.delete(stream)) return;
    for (const name of namesOf(stream)) removeFrom(byMark, name, stream);
    for (const second of secondsOf(stream, looked)) removeFrom(bySecond, second, stream);
  };
  const endAll = (streams: Iterable<OpenStream>, why: StreamEnd) => {
    for (const stream of [...streams]) {
      remove(stream);
      stream.end(why);
    }
  };
  const endYoung = (isOne: (stream: OpenStream) => boolean, why: StreamEnd) => {
    for (const link of young.links()) {
      if (!isOne(link.item)) continue;
      young.remove(link);
      link.item.end(why);
    }
  };
  const tick = () => {
    const now = seconds(clock);
    for (const stream of young.clear()) settle(stream);
    const due = [...bySecond].filter(([second]) => second <= now).flatMap(([, streams]) => [...streams]);
    endAll(due, 'token_expired');
    looked = now;
    if (settled.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    add(stream) {
      const link = young.add(stream);
      timer ??= setInterval(tick, EVERY).unref();
      return () => {
        if (!young.remove(link)) remove(stream);
      };
    },
    ended(event) {
      const isOne = ({ marks }: OpenStream) => marks !== undefined && concerns(event, marks);
      const indexed = [...(byMark.get(`${event.kind} ${event.key}`) ?? [])];
      endYoung(isOne, 'token_revoked');
      endAll(indexed.filter(isOne), 'token_revoked');
    },
    get size() {
      return young.size + settled.size;
    },
    close: () => clearInterval(timer),
  };
}

function concerns({ kind, key, nbf = 0 }: RevocationEvent, marks: TokenMarks): boolean {
  if (markOf[kind](marks) !== key) return false;
  return !isCutOff(kind) || marks.issuedAt === undefined || marks.issuedAt < nbf;
}

function namesOf({ marks }: OpenStream): readonly string[] {
  if (marks === undefined) return [];
  return marksByKind.flatMap(([kind, read]) => {
    const mark = read(marks);
    return mark === undefined ? [] : [`${kind} ${mark}`];
  });
}

/**
 * The possible places of a stream. A stream whose end had already passed is under the time at which this was noticed.
 */
function secondsOf({ endsAt }: OpenStream, looked: number): readonly number[] {
  return endsAt === undefined ? [] : [Math.ceil(endsAt), looked];
}

function addTo<Key>(index: Map<Key, Set<OpenStream>>, key: Key, stream: OpenStream): void {
  const streams = index.get(key) ?? new Set();
  index.set(key, streams.add(stream));
}

function removeFrom<Key>(index: Map<Key, Set<OpenStream>>, key: Key, stream: OpenStream): void {
  const streams = index.get(key);
  if (streams?.delete(stream) === true && streams.size === 0) index.delete(key);
}
