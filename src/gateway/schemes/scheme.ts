import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Refused } from '../../base/verdict.ts';
import type { FileContext } from '../../config/files/referred-file.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Counters } from '../../counters/counters.ts';
import type { Throttle } from '../../counters/throttle.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import type { Lease } from '../message/lease.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { StoreLook } from '../server-client/store-look.ts';
import type { HttpScheme } from './http-scheme.ts';
import type { Nonces, UsedNonces } from './nonces.ts';
import type { PasswordJudge } from './password-judge.ts';
import type { UserStore } from './user-store.ts';

/**
 * What the gateway does with one credential scheme. `Block` is its block of a route, whose keys and rules are a row of
 * src/config/schemes.
 */
export interface GatewayScheme<Block = unknown> {
  /** For the routes that share a block. Where its credentials stand is said by the row of src/config/schemes alone. */
  open(block: Block, scene: SchemeScene): OpenedScheme;
  /**
   * As `open`, where nothing is asked and no password is judged: for `explain`, `diff` and `tests:`. `directory`: where
   * relative paths start; without it no file of users is read.
   */
  assume(block: Block, config: GatewayConfig, directory?: string): Assumed;
  /** What `explain` says of an identity: by what it was verified. */
  describe(identity: Identity): string;
  /**
   * true: each use of a credential is counted, and there is a limit. So no decision is remembered, and the counts must
   * outlive what they are kept in.
   */
  readonly countsUses: boolean;
  /** true: a revoked credential ends within a second, so no proxy may cache a decision about one. */
  readonly isRevoked?: boolean;
  /** What a block names outside of the gateway, for `doctor`. */
  dependencies(block: Block): readonly SchemeDependency[];
}

export type OpenedScheme = Omit<HttpScheme, 'places'>;

/** A scheme that accepts assumed credentials. */
export interface Assumed {
  identityOf(username: string): Identity;
  challenges(): readonly string[];
  /** Set for credentials that are not judged here. Absent: a wrong password. */
  readonly wrong?: CredentialCode;
  /** Why credentials must not come with this request; undefined: they may. */
  refusal?(head: RequestHead): Refused<CredentialCode> | undefined;
  /** Why this user is refused even with the right password; undefined: that is not known. */
  refusalOf?(username: string): Refused<CredentialCode> | undefined;
}

/** An external resource that `doctor` checks. */
export interface SchemeDependency {
  /** Two with equal JSON are checked once. */
  readonly key: unknown;
  /** In a report. It has no secret. */
  readonly about: string;
  /** What to do where it cannot be read. */
  readonly remedy: string;
  /** Rejects as a store does that is out of reach or cannot be used. */
  look(around: LookAround): Promise<void>;
}

export interface LookAround {
  readonly clock: Clock;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
  /** Closed in the end. */
  readonly opened: AsyncDisposableStack;
}

/** What a scheme is opened with. */
export interface SchemeScene {
  readonly config: GatewayConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counters: Counters;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
  /** Files that were read before, as in `Place`. */
  readonly contents?: FileContext['contents'];
  readonly kept: KeptByReloads;
  /** Users of the entry from `kept`. */
  readonly lease: Lease;
  readonly throttle: Throttle;
  /** Where failures are counted, and up to how many. */
  readonly counted: unknown;
  /** The place where uses of nonces are counted. */
  readonly countedAt: string;
  /** Stores that are checked before the gateway is ready. A scheme adds those that it opens. */
  readonly stores: Set<LookedAt>;
}

export type LookedAt = Pick<StoreLook, 'start' | 'tried' | 'usable' | 'fault'>;

/** What outlives a reload where the new file says the same of it. */
export interface KeptByReloads {
  readonly nonces: Holder<Nonces>;
  readonly usedNonces: Holder<UsedNonces>;
  readonly schemes: Holder<HttpScheme>;
  readonly userStores: Holder<UserStore>;
  readonly passwords: PasswordJudge;
}

interface Holder<Thing> {
  /** `block`: all that the thing is made from. */
  take(lease: Lease, block: unknown, open: () => Thing): Thing;
}
