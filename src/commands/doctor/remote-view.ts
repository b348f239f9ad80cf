import type { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { FetchJson } from '../../gateway/verify/fetch-json.ts';
import type { Metadata } from '../../gateway/verify/metadata.ts';
import type { Trust } from '../../gateway/verify/trust.ts';

/** One authorization server, and the gateway's ways to it. */
export interface RemoteView {
  /** `authorization_servers.NAME`. */
  readonly name: string;
  readonly config: AuthorizationServerConfig;
  readonly directory: string;
  readonly clock: Clock;
  readonly opened: AsyncDisposableStack;
  readonly agent: Agent;
  readonly trust: Trust;
  readonly fetch: FetchJson;
  readonly about: Metadata;
}
