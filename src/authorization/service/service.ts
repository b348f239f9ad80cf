import type { Clock } from '../../base/clock.ts';
import type { Passwords } from '../../base/passwords.ts';
import type { RefusedConnections } from '../../base/refused-connections.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import type { Counters } from '../../counters/counters.ts';
import type { Throttle } from '../../counters/throttle.ts';
import type { TurnBudget } from '../../jwt/turn-budget.ts';
import type { StoreOutage } from '../../storage/engine/store-outage.ts';
import type { Records } from '../../storage/records/records.ts';
import type { Clients } from '../clients/clients.ts';
import type { RecentClients } from '../clients/recent-clients.ts';
import type { Secrets } from '../clients/secrets.ts';
import type { ClientKeys } from '../documents/client-keys.ts';
import type { Feed } from '../feed/feed.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { SigningUserKeys } from '../keys/user-keys.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Sectors } from '../outbound/sectors.ts';
import type { Accounts } from '../people/accounts.ts';
import type { DecoyCosts } from '../people/decoys.ts';
import type { KnownBrowsers } from '../people/known-browsers.ts';
import type { LoginAttempts } from '../people/login-attempts.ts';
import type { Audit } from '../telemetry/audit.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { UntrustedProxies } from '../telemetry/untrusted-proxies.ts';
import type { Bell } from './bell.ts';

/** The dependencies of every endpoint. They are made once, at start. */
export interface Service {
  readonly config: AuthorizationConfig;
  readonly clock: Clock;
  readonly records: Records;
  readonly keys: SigningKeys;
  /** The secret of granting programs; `issuer` identifies it to clients. */
  readonly userKeys: SigningUserKeys;
  /** The budget for verifying our own tokens. */
  readonly signatures: TurnBudget;
  readonly clients: Clients;
  readonly recentClients: RecentClients;
  readonly clientKeys: ClientKeys;
  readonly accounts: Accounts;
  readonly passwords: Passwords;
  /** The password costs for unknown names. */
  readonly decoys: DecoyCosts;
  readonly knownBrowsers: KnownBrowsers;
  readonly secrets: Secrets;
  /** Counts wrong secrets, by client and address. */
  readonly throttle: Throttle;
  /** Counts wrong passwords. */
  readonly loginAttempts: LoginAttempts;
  readonly counters: Counters;
  readonly audit: Audit;
  readonly metrics: Metrics;
  readonly untrustedProxies: UntrustedProxies;
  readonly refused: RefusedConnections;
  readonly storeOutage: StoreOutage;
  /** The feed of revocations. */
  readonly feed: Feed;
  /** Requests to URLs of clients. */
  readonly outbound: Outbound;
  readonly sectors: Sectors;
  /** Rings when others must hear of something, such as the end of a session. */
  readonly sessionEnded: Bell;
}
