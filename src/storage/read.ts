import type { Engine } from './engine.ts';
import { StorageUnavailable } from './errors.ts';
import { migrations } from './migrations/index.ts';
import { type AccessTokenRecord, findAccessToken, isJwtDenied } from './records/access-tokens.ts';
import { first, type Verb } from './verb.ts';

export { StorageUnavailable } from './errors.ts';
export type { AccessTokenRecord } from './records/access-tokens.ts';

/**
 * What a gateway with `verify: store` reads in the database of the authorization service; it writes nothing there. Every
 * verb is rejected with `StorageUnavailable` where there is no answer, from a database that is missing, foreign or of
 * another version too, and the next call tries again. Times are NumericDates, seconds.
 */
export interface TokenFacts {
  /** By the SHA-256 of the token; only what is neither expired nor revoked at `now`, by itself or with its grant. */
  findAccessToken(hash: Uint8Array, now: number): Promise<AccessTokenRecord | undefined>;
  /** By itself, or with the grant that it comes from. */
  isJwtDenied(jwt: {
    readonly jti: string;
    readonly grantId?: string | undefined;
    readonly now: number;
  }): Promise<boolean>;
  /** Shows that both can be answered. */
  ping(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

/** A database that was opened to be read only. */
export type ReadEngine = Pick<Engine, 'read' | 'close'>;

export interface ReadOptions {
  /** Where a relative file starts. */
  readonly directory: string;
}

const NOBODY = new Uint8Array(32);

export function tokenFacts(engine: ReadEngine): TokenFacts {
  return {
    findAccessToken: (hash, now) => engine.read(() => understood(findAccessToken(hash, now))),
    isJwtDenied: ({ jti, grantId, now }) => engine.read(() => understood(isJwtDenied(jti, now, grantId))),
    ping: () => engine.read(() => understood(bothAnswers())),
    close: () => engine.close(),
  };
}

function* bothAnswers(): Verb<void> {
  yield* findAccessToken(NOBODY, 0);
  yield* isJwtDenied('', 0, '');
}

const KNOWN = Math.max(...migrations.map(({ version }) => version));

/** A later version may know more ways in which a token ends: who reads it as before would let pass what was revoked. */
function* understood<Outcome>(verb: Verb<Outcome>): Verb<Outcome> {
  const row = yield* first('SELECT max(version) AS version FROM migration');
  const version = Number(row?.version ?? 0);
  if (version > KNOWN)
    throw new StorageUnavailable(`the database is at version ${version}, this program knows ${KNOWN}: update it`);
  return yield* verb;
}
