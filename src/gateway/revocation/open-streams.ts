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
  sid: ({ sid }) => sid,
  token_hash: ({ hash }) => hash,
  sub_nbf: ({ subject }) => subject,
  sessionless_nbf: ({ sid, subject }) => (sid === undefined ? subject : undefined),
  client_nbf: ({ client }) => client,
};
const marksByKind = Object.entries(markOf) as [FeedEventKind, (marks: TokenMarks) => string | undefined][];

type Index<Key> = Map<Key, Set<OpenStream>>;

/** Most requests end at once, so they cost only one entry in a list. Longer ones are indexed by their marks. */
class StreamTable implements OpenStreams {
  readonly #clock: Clock;
  readonly #young = new LinkedList<OpenStream>();
  /** Each with its second in `#bySecond`. */
  readonly #settled = new Map<OpenStream, number | undefined>();
  readonly #byMark: Index<string> = new Map();
  readonly #bySecond: Index<number> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #looked: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#looked = seconds(clock);
  }

  add(stream: OpenStream): () => void {
    const item = this.#young.add(stream);
    this.#timer ??= setInterval(this.#tick, EVERY).unref();
    return () => {
      if (!this.#young.remove(item)) this.#remove(stream);
    };
  }

  ended(event: RevocationEvent): void {
    const isOne = ({ marks }: OpenStream) => marks !== undefined && concerns(event, marks);
    const indexed = [...(this.#byMark.get(`${event.kind} ${event.key}`) ?? [])];
    this.#endYoung(isOne, 'token_revoked');
    this.#endAll(indexed.filter(isOne), 'token_revoked');
  }

  get size(): number {
    return this.#young.size + this.#settled.size;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A stream whose end has already passed gets the time of the last tick, so the next tick ends it. */
  #settle(stream: OpenStream): void {
    const { endsAt } = stream;
    const second = endsAt === undefined ? undefined : Math.max(Math.ceil(endsAt), this.#looked);
    this.#settled.set(stream, second);
    for (const name of namesOf(stream)) addTo(this.#byMark, name, stream);
    if (second !== undefined) addTo(this.#bySecond, second, stream);
  }

  #remove(stream: OpenStream): void {
    if (!this.#settled.has(stream)) return;
    const second = this.#settled.get(stream);
    this.#settled.delete(stream);
    for (const name of namesOf(stream)) removeFrom(this.#byMark, name, stream);
    if (second !== undefined) removeFrom(this.#bySecond, second, stream);
  }

  #endYoung(isOne: (stream: OpenStream) => boolean, why: StreamEnd): void {
    for (const item of this.#young.entries()) {
      if (!isOne(item.value)) continue;
      this.#young.remove(item);
      item.value.end(why);
    }
  }

  #endAll(streams: readonly OpenStream[], why: StreamEnd): void {
    for (const stream of streams) {
      this.#remove(stream);
      stream.end(why);
    }
  }

  readonly #tick = (): void => {
    const now = seconds(this.#clock);
    for (const stream of this.#young.clear()) this.#settle(stream);
    const due = [...this.#bySecond].filter(([second]) => second <= now).flatMap(([, streams]) => [...streams]);
    this.#endAll(due, 'token_expired');
    this.#looked = now;
    if (this.#settled.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}

export function openStreams(clock: Clock): OpenStreams {
  return new StreamTable(clock);
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

function addTo<Key>(index: Map<Key, Set<OpenStream>>, key: Key, stream: OpenStream): void {
  const streams = index.get(key) ?? new Set();
  index.set(key, streams.add(stream));
}

function removeFrom<Key>(index: Map<Key, Set<OpenStream>>, key: Key, stream: OpenStream): void {
  const streams = index.get(key);
  if (streams?.delete(stream) === true && streams.size === 0) index.delete(key);
}
