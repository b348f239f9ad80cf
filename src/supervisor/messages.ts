import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Position } from '../config/load/load.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Failures, Limit, NonceUsage, NonceUse } from '../counters/counters.ts';
import type { Audience, Batch } from '../gateway/console/live/sampler.ts';
import type { FeedMessage } from '../gateway/revocation/events.ts';
import type { FailedFetch, Fetched } from '../gateway/server-client/fetch-json.ts';
import type { MetadataMember } from '../gateway/server-client/metadata.ts';

/** One loaded file as the primary sends it. All workers compile it, and read none of its files from the disk again. */
export interface SentGeneration {
  /** Counts the files that became active. */
  readonly version: number;
  readonly config: GatewayConfig;
  readonly directory: string;
  /** The position of each route in the file. */
  readonly places: readonly Position[];
  /** Name of an authorization server → its broker in the primary. */
  readonly desks: Readonly<Record<string, string>>;
  /** Full path → base64. */
  readonly contents: Readonly<Record<string, string>>;
}

export interface WorkerStart {
  readonly index: number;
  readonly generation: SentGeneration;
  /** The primary resolves `auto`, because it owns the terminal. */
  readonly format: 'json' | 'pretty';
}

export interface WorkerReadiness {
  readonly notReady: string | null;
  readonly cause: string | null;
  readonly remark: string | null;
}

export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Requests of the primary to a worker. */
export interface WorkerVerbs {
  /** Serves the connections that it gets from now on. The answer is null, or why the worker cannot serve. */
  readonly start: { readonly asked: WorkerStart; readonly told: string | null };
  /**
   * Prepares everything that this file needs, without any change to running requests. The answer is null, or why the
   * worker cannot use the file.
   */
  readonly prepare: { readonly asked: SentGeneration; readonly told: string | null };
  /** From now on, requests begin under the prepared file. */
  readonly commit: { readonly asked: number; readonly told: true };
  readonly discard: { readonly asked: number; readonly told: true };
  readonly renew: { readonly asked: true; readonly told: true };
  readonly metrics: { readonly asked: true; readonly told: MetricSnapshot };
  readonly ready: { readonly asked: true; readonly told: WorkerReadiness };
}

/** Messages of the primary to a worker. */
export interface WorkerNews {
  readonly keys: { readonly desk: string; readonly keys: SentKeys };
  readonly feed: { readonly desk: string; readonly messages: readonly FeedMessage[] };
  /** Whether `/decisions` has a viewer. */
  readonly watch: boolean;
  /** The viewers of the console. */
  readonly audiences: readonly Audience[];
  /** Milliseconds for which kept connections may bring another request. */
  readonly drain: number;
}

/** A key set as it arrived, with a number. */
export interface SentKeys {
  readonly version: number;
  readonly set: Fetched;
}

export interface SentRequest {
  readonly url: string;
  readonly form: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly judgeType: boolean;
}

/** Requests of a worker to the primary. */
export interface PrimaryVerbs {
  readonly take: { readonly asked: { readonly key: string; readonly limit: Limit }; readonly told: number };
  readonly failures: { readonly asked: string; readonly told: Failures };
  readonly fail: { readonly asked: { readonly key: string; readonly window: number }; readonly told: Failures };
  /** The time that nonces of this group carry, now. */
  readonly nonceTime: { readonly asked: true; readonly told: number };
  readonly useNonce: { readonly asked: NonceUse; readonly told: NonceUsage };
  readonly fetch: { readonly asked: { readonly desk: string; readonly request: SentRequest }; readonly told: Fetched };
  readonly endpoint: {
    readonly asked: { readonly desk: string; readonly member: MetadataMember };
    /** Null: the server has no such endpoint. Only optional endpoints may be missing. */
    readonly told: string | FailedFetch | null;
  };
  /** `have`: the number of the set that the worker already has. 0: none. */
  readonly keys: { readonly asked: { readonly desk: string; readonly have: number }; readonly told: SentKeys };
}

/** Messages of a worker to the primary. */
export interface PrimaryNews {
  readonly alive: true;
  readonly took: true;
  /** This many connections have closed. */
  readonly closed: number;
  readonly decisions: readonly string[];
  /** Decisions for the viewers of the console. */
  readonly sampled: Batch;
  /** Subscribes to a feed, including all its earlier messages. */
  readonly follow: string;
  readonly unfollow: string;
}
