import type { TokenMarks } from '../message/identity.ts';
import { type CutOffKind, cutOffKinds, type FeedEventKind, isCutOff, type RevocationEvent } from './events.ts';

interface CutOff {
  nbf: number;
  until: number;
}

type NamedKind = Exclude<FeedEventKind, CutOffKind>;

/**
 * Live entries. Each takes at most 200 bytes, so at most 100 MB together. An entry with a longer key counts several
 * times.
 */
export const MOST_REVOCATIONS = 500_000;

/** Bytes of a key for each place. */
const PLACE = 64;

function placesOf(key: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: other text takes two bytes for each character
  const bytes = /^[\x00-\xff]*$/.test(key) ? key.length : 2 * key.length;
  return Math.max(1, Math.ceil(bytes / PLACE));
}

/** Each entry is checked once in this many sweeps. */
const SWEEPS = 10;

/**
 * Revoked tokens of one authorization server that would otherwise still be accepted. The size is limited. An entry
 * without a place is not lost silently, since `lacksUntil` says until when the list is incomplete.
 */
export class DenyList {
  /** Changes with every entry, so a caller can reuse its last check until then. */
  generation = 0;
  /** NumericDate, seconds. Until then, the list may lack some revoked tokens. */
  lacksUntil = 0;
  readonly #named: Readonly<Record<NamedKind, Map<string, number>>> = {
    kid: new Map(),
    jti: new Map(),
    gid: new Map(),
    sid: new Map(),
    token_hash: new Map(),
  };
  readonly #cutOff: Readonly<Record<CutOffKind, Map<string, CutOff>>> = {
    sub_nbf: new Map(),
    sessionless_nbf: new Map(),
    client_nbf: new Map(),
  };
  readonly #most: number;
  /** Seconds after its end for which a token is still accepted. */
  readonly #leeway: number;
  #size = 0;
  #places = 0;
  #sweep: Iterator<() => void> | undefined;

  constructor({ most = MOST_REVOCATIONS, leeway }: { most?: number; leeway: number }) {
    this.#most = most;
    this.#leeway = leeway;
  }

  get size(): number {
    return this.#size;
  }

  /** False: the list has no place for it. */
  add(event: RevocationEvent): boolean {
    const until = event.until + this.#leeway;
    this.generation++;
    if (this.#places + placesOf(event.key) > this.#most && !this.#knows(event)) {
      this.lacksUntil = Math.max(this.lacksUntil, until);
      return false;
    }
    this.#set(event, until);
    return true;
  }

  /** The kind of the event that ended the token. Undefined: none did. */
  denies({ kid, jti, gid, sid, subject, client, hash, issuedAt }: TokenMarks): FeedEventKind | undefined {
    if (this.#size === 0) return undefined;
    const { kid: kids, jti: jtis, gid: gids, sid: sids, token_hash: hashes } = this.#named;
    const { sub_nbf, sessionless_nbf, client_nbf } = this.#cutOff;
    if (kid !== undefined && kids.has(kid)) return 'kid';
    if (jti !== undefined && jtis.has(jti)) return 'jti';
    if (gid !== undefined && gids.has(gid)) return 'gid';
    if (sid !== undefined && sids.has(sid)) return 'sid';
    if (hashes.has(hash)) return 'token_hash';
    if (subject !== undefined && isBefore(issuedAt, sub_nbf.get(subject))) return 'sub_nbf';
    const isSessionless = subject !== undefined && sid === undefined;
    if (isSessionless && isBefore(issuedAt, sessionless_nbf.get(subject))) return 'sessionless_nbf';
    return client !== undefined && isBefore(issuedAt, client_nbf.get(client)) ? 'client_nbf' : undefined;
  }

  /** Whether all tokens of this key are revoked, whatever else they contain. */
  isDead(kid: string): boolean {
    return this.#named.kid.has(kid);
  }

  /** The live entries, for a follower that joins later. */
  *events(): Iterable<RevocationEvent> {
    for (const [kind, entries] of Object.entries(this.#named) as [NamedKind, Map<string, number>][]) {
      for (const [key, until] of entries) yield { kind, key, until: until - this.#leeway };
    }
    for (const kind of cutOffKinds) {
      for (const [key, { until, nbf }] of this.#cutOff[kind]) yield { kind, key, until: until - this.#leeway, nbf };
    }
  }

  /** Checks a part of the entries, and removes those whose tokens have expired. `now`: seconds. */
  sweep(now: number): void {
    for (let looked = Math.ceil(this.#size / SWEEPS) + 1; looked > 0; looked--) {
      this.#sweep ??= this.#ended(now);
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = undefined;
        return;
      }
      next.value();
    }
  }

  /** A Map's iterator stays correct while entries are added and removed, so one walk can be split into parts. */
  *#ended(now: number): Iterator<() => void> {
    const keep = () => {};
    for (const entries of Object.values(this.#named))
      for (const [key, until] of entries) yield until > now ? keep : () => this.#drop(entries, key);
    for (const entries of Object.values(this.#cutOff))
      for (const [key, { until }] of entries) yield until > now ? keep : () => this.#drop(entries, key);
  }

  #drop(entries: Map<string, unknown>, key: string): void {
    if (!entries.delete(key)) return;
    this.#size--;
    this.#places -= placesOf(key);
  }

  #knows({ kind, key }: RevocationEvent): boolean {
    return isCutOff(kind) ? this.#cutOff[kind].has(key) : this.#named[kind].has(key);
  }

  #set(event: RevocationEvent, until: number): void {
    const { kind, key, nbf = 0 } = event;
    if (!this.#knows(event)) {
      this.#size++;
      this.#places += placesOf(key);
    }
    if (isCutOff(kind)) {
      const before = this.#cutOff[kind].get(key);
      const entry = { nbf: Math.max(nbf, before?.nbf ?? nbf), until: Math.max(until, before?.until ?? until) };
      this.#cutOff[kind].set(key, entry);
    } else this.#named[kind].set(key, Math.max(until, this.#named[kind].get(key) ?? until));
  }
}

/** A token without an issue time may be older than the cut-off. */
function isBefore(issuedAt: number | undefined, cutOff: CutOff | undefined): boolean {
  return cutOff !== undefined && (issuedAt === undefined || issuedAt < cutOff.nbf);
}
