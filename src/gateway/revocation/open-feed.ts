import { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import { algorithms } from '../../jwt/algorithms.ts';
import { headerAuthenticator } from '../verify/client-authentication.ts';
import { faultLog, type GatewayLog } from '../verify/fault-log.ts';
import { jsonFetcher } from '../verify/fetch-json.ts';
import type { Metadata } from '../verify/metadata.ts';
import { connectOptions, type Trust } from '../verify/trust.ts';
import { followFeed, type OpenFeed } from './follow-feed.ts';

export interface FeedDependencies {
  readonly about: Metadata;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly log: GatewayLog;
}

/** Seconds. */
const LONGEST_POLL = 25;

/** Whether there is a feed to follow: one that the file names, or one that the server may name where it is asked anyway. */
export function mayHaveFeed(config: AuthorizationServerConfig): boolean {
  if (config.events !== undefined) return config.events !== 'none';
  const { verify, client_id, client_secret } = config;
  return verify !== 'store' && client_id !== undefined && client_secret !== undefined && readsMetadata(config);
}

/** From the start, for its keys; or, where keys are not used, with the first token. */
function readsMetadata({
  verify,
  jwks_uri,
  jwks_file,
  introspection_endpoint,
  algorithms: names,
}: AuthorizationServerConfig) {
  if (verify === 'introspection') return introspection_endpoint === undefined;
  const published = names.some((name) => algorithms[name].hmac === undefined);
  return published && jwks_uri === undefined && jwks_file === undefined;
}

/** Whom nobody vouches for is not listened to, and so is never in step. */
const SILENT: OpenFeed = () => ({ start() {}, close() {} });

/** Undefined: none is to be followed. On connections of its own: a stream that never ends must not take the place of calls that do. */
export function openFeed(
  name: string,
  config: AuthorizationServerConfig,
  { about, trust, clock, log }: FeedDependencies,
): OpenFeed | undefined {
  if (!mayHaveFeed(config)) return undefined;
  if (trust.kind === 'nobody') return SILENT;
  const { events } = config;
  return (sink) => {
    const dispatcher = new Agent({ connect: connectOptions(trust) });
    const source = followFeed({
      url: events === undefined ? () => about.optional('revocation_events_endpoint') : async () => events,
      optional: events === undefined,
      pollWait: Math.max(1, Math.min(LONGEST_POLL, Math.floor(config.max_staleness / 2000))),
      authenticate: headerAuthenticator(config),
      dispatcher,
      fetch: jsonFetcher(dispatcher),
      clock,
      faults: faultLog(log, { server: name }, 'revocation feed'),
    })(sink);
    return {
      start: source.start,
      close() {
        source.close();
        void dispatcher.destroy();
      },
    };
  };
}
