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
import type { UserSource } from './user-source.ts';
import type { UserStore } from './user-store.ts';

/**
 * What the gateway does with one credential scheme. `Block` is the scheme's block of a route. A row of
 * src/config/schemes has the block's keys and rules.
 */
export interface GatewayScheme<Block = unknown> {
  /**
   * Opens the scheme for all routes that share a block. Only the row of src/config/schemes names the places of its
   * credentials.
   */
  open(block: Block, scene: SchemeScene): OpenedScheme;
  /**
   * Like `open`, but asks no store and judges no password: for `explain`, `diff` and `tests:`. `directory`: where
   * relative paths start. Without it, no file of users is read.
   */
  assume(block: Block, config: GatewayConfig, directory?: string): Assumed;
  /** How `explain` says what verified an identity. */
  describe(identity: Identity): string;
  /**
   * true: each use of a credential counts toward a limit. So no decision may be cached, and the counts must not be
   * lost.
   */
  readonly countsUses: boolean;
  /** true: a revoked credential becomes invalid within a second, so no proxy may cache a decision about one. */
  readonly isRevoked?: boolean;
  /** The external resources of a block, for `doctor`. */
  dependencies(block: Block): readonly SchemeDependency[];
}

export type OpenedScheme = Omit<HttpScheme, 'places'>;

/** A scheme that accepts assumed credentials. */
export interface Assumed {
  identityOf(username: string): Identity;
  challenges(): readonly string[];
  /** Where the users are. Two blocks with the same realm and an equal `source` have the same users. */
  readonly source: UserSource;
  /** Username → scope, space-delimited. Undefined: only the place of the users knows their scopes. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The code for wrong credentials. Undefined: the code for a wrong password. */
  readonly wrong?: CredentialCode;
  /** Why this request must not carry credentials. Undefined: it may carry them. */
  refusal?(head: RequestHead): Refused<CredentialCode> | undefined;
  /** Why this user is refused even with the right password. Undefined: no reason is known. */
  refusalOf?(username: string): Refused<CredentialCode> | undefined;
}

/** An external resource that `doctor` checks. */
export interface SchemeDependency {
  /** Two dependencies with equal JSON are checked once. */
  readonly key: unknown;
  /** For a report. It contains no secret. */
  readonly about: string;
  /** What to do if the resource cannot be read. */
  readonly remedy: string;
  /** Rejects like a store that is unreachable or unusable. */
  look(around: LookAround): Promise<void>;
}

export interface LookAround {
  readonly clock: Clock;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
  /** Closed at the end. */
  readonly opened: AsyncDisposableStack;
}

/** Everything that a scheme needs to open. */
export interface SchemeScene {
  readonly config: GatewayConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counters: Counters;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
  /** Files that have already been read, as in `Place`. */
  readonly contents?: FileContext['contents'];
  /** Where the time of nonces starts, as in `openUsedNonces`. Undefined: this process is alone. */
  readonly nonceStart?: number | undefined;
  readonly kept: KeptByReloads;
  /** Keeps the entry from `kept` in use. */
  readonly lease: Lease;
  readonly throttle: Throttle;
  /** The settings of the place where failures count, and their limits. */
  readonly counted: unknown;
  /** The place where uses of nonces are counted. */
  readonly countedAt: string;
  /** Stores that are checked before the gateway is ready. A scheme adds the stores that it opens. */
  readonly stores: Set<LookedAt>;
}

export type LookedAt = Pick<StoreLook, 'start' | 'tried' | 'usable' | 'fault'>;

/** Objects that outlive a reload, if the new file has the same block for them. */
export interface KeptByReloads {
  readonly nonces: Holder<Nonces>;
  readonly usedNonces: Holder<UsedNonces>;
  readonly schemes: Holder<HttpScheme>;
  readonly userStores: Holder<UserStore>;
  readonly passwords: PasswordJudge;
}

interface Holder<Thing> {
  /** `block`: everything that the object is made from. */
  take(lease: Lease, block: unknown, open: () => Thing): Thing;
}
