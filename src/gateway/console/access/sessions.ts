import { randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../../base/clock.ts';
import { sha256 } from '../../../base/secret.ts';
import type { Identity } from '../../message/identity.ts';
import type { AuthorizationServer } from '../../verify/authorization-server.ts';

/** A person who is logged in. It has neither the token nor the value of the cookie. */
export interface ConsoleSession {
  /** For streams that end with the session. It opens nothing. */
  readonly id: string;
  /** For display. */
  readonly name: string;
  readonly subject: string | undefined;
  readonly client: string | undefined;
  /** The session at the authorization server, from the ID token. */
  readonly sid: string | undefined;
  readonly server: AuthorizationServer;
  /** When the server last confirmed the login: monotonic milliseconds. */
  readonly confirmedAt: number;
  /** Wall clock, seconds. */
  readonly endsAt: number;
}

export interface NewSession {
  readonly identity: Identity;
  readonly name: string;
  readonly sid: string | undefined;
  readonly server: AuthorizationServer;
}

/** Seconds. */
export const LONGEST_SESSION = 12 * 60 * 60;
/** One more login ends the oldest session. */
const MOST_SESSIONS = 1_000;

interface Held {
  readonly session: ConsoleSession;
  readonly unwatch: () => void;
  readonly ends: Set<() => void>;
}

/** Sessions of the console, in memory. Each ends with its token, by the server's feed or by `exp`. */
export class ConsoleSessions {
  readonly #clock: Clock;
  readonly #most: number;
  /** By the hash of the cookie's value, in the order of their logins. */
  readonly #held = new Map<string, Held>();
  readonly #keys = new Map<string, string>();

  constructor(clock: Clock, most: number = MOST_SESSIONS) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Returns the value for the cookie, and the session. */
  open({ identity, name, sid, server }: NewSession): { readonly value: string; readonly session: ConsoleSession } {
    const [oldest] = this.#held.values();
    if (this.#held.size >= this.#most && oldest !== undefined) this.end(oldest.session.id);
    const [value, id] = [randomBytes(32).toString('base64url'), randomBytes(12).toString('base64url')];
    const longest = seconds(this.#clock) + LONGEST_SESSION;
    const endsAt = Math.min(identity.expiresAt ?? longest, longest);
    const { subject, clientId: client } = identity;
    const session = { id, name, subject, client, sid, server, confirmedAt: this.#clock.monotonic(), endsAt };
    const unwatch = server.watch({ ...identity, expiresAt: endsAt }, () => this.end(id));
    const key = keyOf(value);
    this.#held.set(key, { session, unwatch, ends: new Set() });
    this.#keys.set(id, key);
    return { value, session };
  }

  /** Undefined: there is no such session, or it has ended. */
  find(value: string): ConsoleSession | undefined {
    const session = this.#held.get(keyOf(value))?.session;
    if (session === undefined || seconds(this.#clock) < session.endsAt) return session;
    this.end(session.id);
    return undefined;
  }

  /** Calls `ended` once when the session ends; at once if it has ended. Returns a function that cancels the call. */
  onEnd(id: string, ended: () => void): () => void {
    const ends = this.#held.get(this.#keys.get(id) ?? '')?.ends;
    if (ends === undefined) {
      process.nextTick(ended);
      return () => {};
    }
    ends.add(ended);
    return () => void ends.delete(ended);
  }

  end(id: string): void {
    const key = this.#keys.get(id) ?? '';
    const held = this.#held.get(key);
    this.#held.delete(key);
    this.#keys.delete(id);
    held?.unwatch();
    for (const ended of held?.ends ?? []) ended();
  }

  endWhere(isOver: (session: ConsoleSession) => boolean): void {
    for (const { session } of [...this.#held.values()]) if (isOver(session)) this.end(session.id);
  }
}

/** A copy of the memory does not show a value that a browser could send. */
function keyOf(value: string): string {
  return sha256(value).toString('base64url');
}
