import type { Clock } from '../../base/clock.ts';
import type { ReadEngine } from '../engine/engine.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import { first, type Row, type Verb } from '../engine/verb.ts';
import { migrations } from '../migrations/index.ts';
import { type AccessTokenRecord, findAccessToken, isJwtDenied } from '../records/access-tokens.ts';

export { StorageUnavailable } from '../engine/errors.ts';
export type { AccessTokenRecord } from '../records/access-tokens.ts';

/**
 * The tables that a gateway with `verify: store` reads in the authorization service's database. It never writes. Every verb
 * rejects with `StorageUnavailable` if the database is unreachable, missing, foreign or of another version, and the next call
 * tries again. Times are NumericDates, seconds.
 */
export interface TokenFacts {
  /** By the SHA-256 of the token; only what is neither expired nor revoked at `now`, by itself or with its grant. */
  findAccessToken(hash: Uint8Array, now: number): Promise<AccessTokenRecord | undefined>;
  /** By itself, with its grant, with all that its client had been given until then, or with the key that signed it. */
  isJwtDenied(jwt: {
    readonly jti: string;
    readonly grantId?: string | undefined;
    readonly clientId?: string | undefined;
    readonly issuedAt?: number | undefined;
    readonly kid?: string | undefined;
    readonly now: number;
  }): Promise<boolean>;
  /** Shows that both can be answered. */
  ping(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

export interface ReadOptions {
  /** Where a relative file starts. */
  readonly directory: string;
  readonly clock: Clock;
  /** true: do not create SQLite's side files if no other process has the database open. */
  readonly traceless?: boolean | undefined;
}

const NOBODY = new Uint8Array(32);

export function tokenFacts(engine: ReadEngine): TokenFacts {
  return {
    findAccessToken: (hash, now) => engine.read(() => understood(findAccessToken(hash, now))),
    isJwtDenied: ({ jti, now, ...origin }) => engine.read(() => understood(isJwtDenied(jti, now, origin))),
    ping: () => engine.read(bothAnswers),
    close: () => engine.close(),
  };
}

/** The version first, and by itself: where tables were renamed, that is what there is to tell. */
function* bothAnswers(): Verb<void> {
  requireKnown(yield* first('SELECT max(version) AS known_version FROM migration'));
  yield* understood(findAccessToken(NOBODY, 0));
  yield* understood(isJwtDenied('', 0));
}

/** Rows and version are of one moment and one round trip; without any row the version comes alone. */
export function* understood<Outcome>(verb: Verb<Outcome>): Verb<Outcome> {
  let step = verb.next();
  while (step.done !== true) {
    const rows = yield { ...step.value, sql: besideVersion(step.value.sql) };
    requireKnown(rows[0]);
    step = verb.next(rows.filter(({ is_found }) => is_found !== null));
  }
  return step.value;
}

function besideVersion(sql: string): string {
  return `SELECT * FROM (SELECT max(version) AS known_version FROM migration) AS journal
    LEFT JOIN (SELECT 1 AS is_found, asked.* FROM (${sql}) AS asked) AS found ON 1 = 1`;
}

const KNOWN = Math.max(...migrations.map(({ version }) => version));

/** A later version may know more ways in which a token ends: who reads it as before would let pass what was revoked. */
function requireKnown(row: Row | undefined): void {
  const version = Number(row?.known_version ?? 0);
  if (version > KNOWN)
    throw new StorageUnavailable(`the database is at version ${version}, this program knows ${KNOWN}: update it`);
}
