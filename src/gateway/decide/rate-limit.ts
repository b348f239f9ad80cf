import { addressBlock } from '../../base/client-address.ts';
import type { RateLimitConfig } from '../../config/schema/gateway.ts';
import { type CountedBy, countedByText } from '../../config/words/counted-by.ts';
import type { Counters, MaybeShared } from '../../counters/counters.ts';
import { claimAt } from '../message/claim-path.ts';
import type { Identity } from '../message/identity.ts';

/** The limit of one route. It counts for that route only. Returns 0 to continue, or the milliseconds to wait. */
export interface RateLimit {
  /** In words, such as `100 in 60 s by client_id`. */
  readonly text: string;
  /** Counts before the credential is verified, to also limit guessing of tokens. */
  readonly byAddress: boolean;
  address(address: string): MaybeShared<number>;
  /** Counts separately for each authorization server: `alice` of another server is a different user. */
  identity(identity: Identity): MaybeShared<number>;
}

export function compileRateLimit(routeId: string, config: RateLimitConfig, take: Counters['take']): RateLimit {
  const { by, requests, per } = config;
  const limit = { requests, window: per };
  const prefix = `${routeId.length}:${routeId}`;
  const [read, words] = [reader(by), countedByText(by)];
  return {
    text: limitText(config),
    byAddress: by.kind === 'address',
    address: (address) => take(`${prefix} address ${addressBlock(address)}`, limit),
    identity: (identity) => take(`${prefix} ${words} ${identity.issuer} ${read(identity)}`, limit),
  };
}

export function limitText({ by, requests, per }: RateLimitConfig): string {
  return `${requests} in ${per / 1000} s by ${countedByText(by)}`;
}

/** Identities without the value share one bucket for each issuer. The prefix `=` keeps any value from naming this bucket. */
function reader(by: CountedBy): (identity: Identity) => string {
  switch (by.kind) {
    case 'client_id':
      return ({ clientId }) => (clientId === undefined ? '' : `=${clientId}`);
    case 'sub':
      return ({ subject }) => (subject === undefined ? '' : `=${subject}`);
    case 'claim':
      return ({ claims }) => {
        const value = claimAt(claims, by.path);
        return value === undefined ? '' : `=${JSON.stringify(value)}`;
      };
    case 'address':
      return () => '';
  }
}
