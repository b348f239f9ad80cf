import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Clock, seconds, systemClock } from '../base/clock.ts';
import { buildPasswordQueue, buildPasswords } from '../base/passwords.ts';
import { RefusedConnections } from '../base/refused-connections.ts';
import { trustOf } from '../config/files/trust.ts';
import type { AuthorizationConfig } from '../config/schema/authorization.ts';
import { openCounters } from '../counters/open.ts';
import { buildThrottle } from '../counters/throttle.ts';
import { TurnBudget } from '../jwt/turn-budget.ts';
import { storeOutage } from '../storage/engine/store-outage.ts';
import { openRecords } from '../storage/open.ts';
import type { Records } from '../storage/records/records.ts';
import { buildClients } from './clients/clients.ts';
import { rememberClients } from './clients/recent-clients.ts';
import { loadSecrets } from './clients/secrets.ts';
import { buildClientKeys } from './documents/client-keys.ts';
import { buildDocumentClients } from './documents/document-clients.ts';
import { FetchLimits } from './documents/fetch-limits.ts';
import { buildFeed } from './feed/feed.ts';
import { loadSigningKeys } from './keys/signing-keys.ts';
import { buildUserKeys } from './keys/user-keys.ts';
import type { FindAddresses } from './outbound/find-addresses.ts';
import { buildOutbound, type Outbound } from './outbound/outbound.ts';
import { buildSectors } from './outbound/sectors.ts';
import { type Accounts, buildAccounts } from './people/accounts.ts';
import { type DecoyCosts, openDecoys } from './people/decoys.ts';
import { buildKnownBrowsers } from './people/known-browsers.ts';
import { buildLoginAttempts } from './people/login-attempts.ts';
import { Bell } from './service/bell.ts';
import type { Service } from './service/service.ts';
import { buildAudit } from './telemetry/audit.ts';
import type { FileRetention } from './telemetry/full-files.ts';
import { buildServiceMetrics } from './telemetry/metrics.ts';
import { UntrustedProxies } from './telemetry/untrusted-proxies.ts';

export interface ServiceDependencies {
  /** The folder of the configuration file, which a relative storage path starts from. */
  readonly directory: string;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** Replaces `storage`. `close` closes it too. */
  readonly records?: Records | undefined;
  /** Replaces the DNS servers of the system for the hosts of clients. */
  readonly findAddresses?: FindAddresses | undefined;
}

export interface OpenService {
  readonly service: Service;
  /** Closes the audit log, the counters, then the store. */
  close(): Promise<void>;
}

/** Opens and migrates the store, and makes the keys. If a step fails, everything opened so far is closed. */
export async function openService(config: AuthorizationConfig, deps: ServiceDependencies): Promise<OpenService> {
  const opened = new AsyncDisposableStack();
  try {
    const service = await open(config, deps, opened);
    return { service, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens the store that the configuration names, and migrates it. */
export function openStore(
  config: AuthorizationConfig,
  { directory, clock, warn }: { directory: string; clock: Clock; warn?: (message: string) => void },
): Promise<Records> {
  return openRecords(config.storage, { directory, clock, warn, encryptionKeys: config.encryption_keys });
}

async function open(
  config: AuthorizationConfig,
  { directory, log, clock = systemClock, records: given, findAddresses }: ServiceDependencies,
  opened: AsyncDisposableStack,
): Promise<Service> {
  const records = opened.adopt(
    given ?? (await openStore(config, { directory, clock, warn: (message) => log.warn(message) })),
    closeIt,
  );
  const outage = opened.adopt(storeOutage({ ping: () => records.ping(seconds(clock)), log }), closeIt);
  const counters = opened.adopt(
    openCounters(config.counters.url, { clock, log, trust: trustOf(config.counters, { directory }) }),
    closeIt,
  );
  const auditFile = config.audit && resolve(directory, config.audit.file);
  const { max_failures: maxFailures, window, max_failures_a_day: ceiling } = config.login;
  const audit = opened.adopt(
    buildAudit(auditFile, clock, log, { window, ...(config.audit && { kept: keptOf(config.audit) }) }),
    closeIt,
  );
  const passwords = buildPasswords({ queue: buildPasswordQueue(PLACES_KEPT) });
  const secrets = await loadSecrets(records);
  const accounts = await buildAccounts(config.users, { records, passwords, secrets });
  const outbounds = outboundsOf(config, { directory, findAddresses });
  const outbound = opened.adopt(outbounds.registered, closeIt);
  const strangers = opened.adopt(outbounds.strangers, closeIt);
  const limits = new FetchLimits(counters);
  const [untrustedProxies, refused] = [new UntrustedProxies(clock, log), new RefusedConnections(log)];
  const metrics = buildServiceMetrics({ counters, proxies: untrustedProxies, records, refused });
  const documents = buildDocumentClients({ config, outbound: strangers, limits, metrics, clock });
  const clients = buildClients(config, records, clock, documents);
  return {
    config,
    clock,
    records,
    keys: await loadSigningKeys({ records, config, clock }),
    userKeys: buildUserKeys({ records, config, clock }),
    signatures: new TurnBudget(),
    clients,
    recentClients: rememberClients(clients, clock),
    clientKeys: buildClientKeys({ registered: outbound, strangers, limits, metrics, clock }),
    accounts,
    passwords,
    decoys: await decoysOf(accounts, records, secrets.decoys),
    knownBrowsers: buildKnownBrowsers(secrets.knownBrowsers, clock),
    secrets,
    throttle: buildThrottle({ counters, maxFailures, window }),
    loginAttempts: buildLoginAttempts({ counters, clock, maxFailures, window, ceiling }),
    counters,
    audit,
    metrics,
    untrustedProxies,
    refused,
    storeOutage: outage,
    feed: opened.adopt(buildFeed({ records, clock, log, outage }), closeIt),
    outbound,
    sectors: buildSectors(outbound),
    sessionEnded: new Bell(),
  };
}

function keptOf({ max_size, max_files, max_age }: NonNullable<AuthorizationConfig['audit']>): FileRetention {
  return { maxSize: max_size, files: max_files, maxAge: max_age };
}

/**
 * For URLs that an operator registered, and for URLs of strangers. The second reaches private addresses only if the operator
 * says so again.
 */
function outboundsOf(
  { outbound, development, registration }: AuthorizationConfig,
  { directory, findAddresses }: Pick<ServiceDependencies, 'directory' | 'findAddresses'>,
): { readonly registered: Outbound; readonly strangers: Outbound } {
  const { timeout, private_addresses: policy } = registration.cimd;
  const private_addresses = policy === 'deny' ? [] : outbound.private_addresses;
  const shared = { trust: trustOf(outbound, { directory }), findAddresses };
  return {
    registered: buildOutbound({ ...shared, outbound, development }),
    strangers: buildOutbound({ ...shared, outbound: { private_addresses, timeout }, development: false }),
  };
}

/** Places in the password queue of 64 that are reserved for browsers with an earlier login. */
const PLACES_KEPT = 16;

function decoysOf({ inFile }: Accounts, records: Records, key: Uint8Array): Promise<DecoyCosts> {
  const passwordHashes = inFile.map(({ passwordHash }) => passwordHash);
  return openDecoys({ key, passwordHashes, stored: () => records.samplePasswordHashes() });
}

function closeIt(resource: { close(): Promise<void> | void }): Promise<void> | void {
  return resource.close();
}
