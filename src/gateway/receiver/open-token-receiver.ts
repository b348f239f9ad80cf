import type { Clock } from '../../base/clock.ts';
import { reportsEnds } from '../../config/rules/follows-feed.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { TurnBudget } from '../../jwt/turn-budget.ts';
import { faultLog, type GatewayLog } from '../message/fault-log.ts';
import type { FetchJson } from '../server-client/fetch-json.ts';
import { type KeySet, keySet } from '../server-client/key-set.ts';
import { keySourceOf } from '../server-client/key-source.ts';
import type { Metadata } from '../server-client/metadata.ts';
import type { EventLog } from './event-log.ts';
import { signing, type TokenReceiver, tokenReceiver } from './token-receiver.ts';

export interface ReceiverDependencies {
  readonly clock: Clock;
  readonly log: GatewayLog;
  readonly directory: string;
  readonly fetch: FetchJson;
  readonly about: Metadata;
  readonly budget?: TurnBudget | undefined;
  readonly received?: EventLog | undefined;
}

/** Undefined: the server reports nothing, or another process receives it. */
export function openTokenReceiver(
  name: string,
  config: AuthorizationServerConfig,
  { received, budget = new TurnBudget(), ...asking }: ReceiverDependencies,
): TokenReceiver | undefined {
  if (received === undefined || !reportsEnds(config)) return undefined;
  const { jwks_uri } = config.security_events ?? {};
  const keys = keysOf(name, config, asking);
  const eventKeys = jwks_uri === undefined ? keys : keysOf(name, { ...config, jwks_file: undefined, jwks_uri }, asking);
  return tokenReceiver({ config, keys, eventKeys, log: received, clock: asking.clock, budget });
}

type Asking = Omit<ReceiverDependencies, 'received' | 'budget'>;
type KeysConfig = Pick<AuthorizationServerConfig, 'jwks'> & {
  readonly jwks_file?: string | undefined;
  readonly jwks_uri?: string | undefined;
};

/** Separate from the keys of access tokens, which may have other algorithms. The first token fetches them. */
function keysOf(name: string, { jwks, jwks_file, jwks_uri }: KeysConfig, { clock, log, ...asking }: Asking): KeySet {
  const block = { jwks, ...(jwks_file !== undefined && { jwks_file }), ...(jwks_uri !== undefined && { jwks_uri }) };
  return keySet({
    source: keySourceOf(block, asking),
    algorithms: [...signing],
    ttl: jwks.ttl,
    cooldown: jwks.cooldown,
    staleIfError: jwks.stale_if_error,
    clock,
    log,
    faults: faultLog(log, { server: name }, 'fetch the keys of logout tokens and events'),
  });
}
