import { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { publicUrl } from '../../base/public-url.ts';
import { mayHaveFeed, trustsSignatures, UNHEARD } from '../../config/rules/follows-feed.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { type FaultLog, faultLog, type GatewayLog } from '../message/fault-log.ts';
import { headerAuthenticator } from '../server-client/client-authentication.ts';
import { jsonFetcher } from '../server-client/fetch-json.ts';
import type { Metadata } from '../server-client/metadata.ts';
import { connectOptions, type Trust } from '../server-client/trust.ts';
import { followFeed, type OpenFeed } from './follow-feed.ts';

export interface FeedDependencies {
  readonly about: Metadata;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly log: GatewayLog;
}

/** Seconds. */
const LONGEST_POLL = 25;

/** The gateway does not follow an untrusted server, so it never has all revocations of this server. */
const SILENT: OpenFeed = () => ({ start() {}, close() {} });

/**
 * Undefined: there is no feed to follow. The feed has its own connections, because an endless stream must not occupy
 * the place of short calls.
 */
export function openFeed(
  name: string,
  config: AuthorizationServerConfig,
  { about, trust, clock, log }: FeedDependencies,
): OpenFeed | undefined {
  const unheard = unheardLog(name, config, log);
  if (!mayHaveFeed(config)) {
    unheard(
      config.events === 'none' ? '`events: none`' : 'the server has no `client_id` with a `client_secret` in the file',
    );
    return undefined;
  }
  if (trust.kind === 'none') return SILENT;
  const { events } = config;
  return (sink) => {
    const asked = lastAsked(
      events === undefined ? () => about.optional('revocation_events_endpoint') : async () => events,
    );
    const dispatcher = new Agent({ connect: connectOptions(trust) });
    const source = followFeed({
      url: asked.url,
      pollWait: Math.max(1, Math.min(LONGEST_POLL, Math.floor(config.max_staleness / 2000))),
      authenticate: headerAuthenticator(config),
      dispatcher,
      fetch: jsonFetcher(dispatcher),
      clock,
      faults: asked.naming(faultLog(log, { server: name }, 'follow the revocation feed')),
      absent: unheard,
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

/** Logs each reason once, because the follower asks again every minute. */
function unheardLog(name: string, config: AuthorizationServerConfig, log: GatewayLog): (detail: string) => void {
  let last: string | undefined;
  return (detail) => {
    if (trustsSignatures(config) && detail !== last)
      log.info({ server: name, detail }, `the gateway follows no revocation feed, so ${UNHEARD}`);
    last = detail;
  };
}

type FeedUrl = Awaited<ReturnType<Metadata['optional']>>;

/** Remembers the URL of the last attempt, so that the log can name it. */
function lastAsked(url: () => Promise<FeedUrl>): {
  readonly url: () => Promise<FeedUrl>;
  naming(faults: FaultLog): FaultLog;
} {
  let last: string | undefined;
  return {
    async url() {
      const found = await url();
      last = typeof found === 'string' ? publicUrl(found) : found?.url;
      return found;
    },
    naming: (faults) => ({ ...faults, failed: (detail, level) => faults.failed(detail, level, last) }),
  };
}
