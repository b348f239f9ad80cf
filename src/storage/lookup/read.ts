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
  /** Finds a token by its SHA-256. At `now`, neither the token nor its grant may be expired or revoked. */
  findAccessToken(hash: Uint8Array, now: number): Promise<AccessTokenRecord | undefined>;
  /** True if the token, its grant, its client's tokens up to that time, or its signing key is revoked. */
  isJwtDenied(jwt: {
    readonly jti: string;
    readonly grantId?: string | undefined;
    readonly clientId?: string | undefined;
    readonly issuedAt?: number | undefined;
    readonly kid?: string | undefined;
    readonly now: number;
  }): Promise<boolean>;
  /** Proves that both lookups work. */
  ping(): Promise<void>;
  /** Closes it permanently. */
  close(): Promise<void>;
}

export interface ReadOptions {
  /** A relative filename starts here. */
  readonly directory: string;
  readonly clock: Clock;
  /** true: do not create SQLite's side files if no other process has the database open. */
  readonly traceless?: boolean | undefined;
}

const UNUSED_HASH = new Uint8Array(32);

export function tokenFacts(engine: ReadEngine): TokenFacts {
  return {
    findAccessToken: (hash, now) => engine.read(() => understood(findAccessToken(hash, now))),
    isJwtDenied: ({ jti, now, ...origin }) => engine.read(() => understood(isJwtDenied(jti, now, origin))),
    ping: () => engine.read(bothAnswers),
    close: () => engine.close(),
  };
}

/** The version comes first: if tables were renamed, it is the fault to report. */
function* bothAnswers(): Verb<void> {
  requireKnown(yield* first('SELECT max(version) AS known_version FROM migration'));
  yield* understood(findAccessToken(UNUSED_HASH, 0));
  yield* understood(isJwtDenied('', 0));
}

/** Reads rows and version in one statement, so both are from the same moment. If there is no row, only the version comes. */
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

/** A later version may revoke tokens in more ways. A program that does not know them would accept revoked tokens. */
function requireKnown(row: Row | undefined): void {
  const version = Number(row?.known_version ?? 0);
  if (version > KNOWN)
    throw new StorageUnavailable(
      `the database has version ${version}, and this program knows only ${KNOWN}: update this program`,
    );
}
