import type { Clock } from '../base/clock.ts';
import type { Passwords } from '../base/passwords.ts';
import type { AuthorizationConfig } from '../config/authorization.ts';
import type { Counters } from '../storage/counters.ts';
import type { Throttle } from '../storage/counters-throttle.ts';
import type { Records } from '../storage/records.ts';
import type { Audit } from './audit.ts';
import type { Clients } from './clients.ts';
import type { Feed } from './feed/feed.ts';
import type { Metrics } from './metrics.ts';
import type { Accounts } from './people/accounts.ts';
import type { LoginAttempts } from './people/login-attempts.ts';
import type { RecentClients } from './recent-clients.ts';
import type { Secrets } from './secrets.ts';
import type { SigningKeys } from './tokens/signing-keys.ts';
import type { UserKeys } from './tokens/user-keys.ts';

/** What every endpoint works with; made once at start, nothing in it is looked up by name later. */
export interface Service {
  readonly config: AuthorizationConfig;
  readonly clock: Clock;
  readonly records: Records;
  readonly keys: SigningKeys;
  /** Of those who grant; the issuer's sign for clients. */
  readonly userKeys: UserKeys;
  readonly clients: Clients;
  readonly recentClients: RecentClients;
  readonly accounts: Accounts;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  /** Wrong secrets, by client and address. */
  readonly throttle: Throttle;
  /** Wrong passwords. */
  readonly loginAttempts: LoginAttempts;
  readonly counters: Counters;
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** Of what is revoked. */
  readonly feed: Feed;
}
