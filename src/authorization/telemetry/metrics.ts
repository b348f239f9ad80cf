import { Counter, Gauge, Registry } from 'prom-client';
import type { RefusedConnections } from '../../base/refused-connections.ts';
import type { Counters } from '../../counters/counters.ts';
import type { Records } from '../../storage/records/records.ts';
import type { UntrustedProxies } from './untrusted-proxies.ts';

/** Prometheus metrics of the service. */
export interface Metrics {
  readonly registry: Registry;
  answered(endpoint: string, outcome: string): void;
  issued(grantType: string, format: string): void;
  introspected(active: boolean): void;
  /** One request of the back-channel logout. */
  logoutSent(result: 'told' | 'refused' | 'failed'): void;
  /** One push of a security event. */
  securityEventSent(receiver: string, result: 'told' | 'refused' | 'failed'): void;
  /** One request for a document of a client. `limited`: no request was made. */
  documentRead(document: 'metadata' | 'keys', result: 'read' | 'refused' | 'outage' | 'limited'): void;
}

export interface MeasuredParts {
  readonly refused: RefusedConnections;
  readonly counters: Counters;
  readonly proxies: UntrustedProxies;
  readonly records: Pick<Records, 'countLogoutNotices' | 'countSecurityEvents'>;
}

export function buildServiceMetrics({ counters, proxies, records, refused }: MeasuredParts): Metrics {
  const registry = new Registry();
  addWaiting(registry, records);
  addRefused(registry, refused);
  new Gauge({
    name: 'gatehouse_authorization_untrusted_proxy',
    help: 'Addresses that send proxy headers but are not in `trusted_proxies`. The metric shows only the 16 most frequent addresses.',
    labelNames: ['address'],
    registers: [registry],
    collect() {
      this.reset();
      for (const address of proxies.addresses) this.set({ address }, 1);
    },
  });
  new Gauge({
    name: 'gatehouse_authorization_counters_reachable',
    help: '1: the shared counters are reachable, or the process keeps its counters in memory. 0: the shared counters are unreachable, and the process counts its own requests only.',
    registers: [registry],
    collect() {
      this.set(counters.reachable() ? 1 : 0);
    },
  });
  const counter = (name: string, help: string, labelNames: readonly [string, string?]) =>
    counted(registry, { name: `gatehouse_authorization_${name}`, help, labelNames });
  const introspections = counter('introspections_total', 'Introspection answers by state of the token.', ['active']);
  const logouts = counter(
    'logout_tokens_total',
    'Logout tokens that the service sent, by result: told (the client accepted the token), refused (the client answered 400) or failed (the service retries).',
    ['result'],
  );
  return {
    registry,
    answered: counter('answers_total', 'Answers by endpoint and outcome. The outcome is ok or an error code.', [
      'endpoint',
      'outcome',
    ]),
    issued: counter('tokens_issued_total', 'Issued access tokens by grant type and format.', ['grant_type', 'format']),
    introspected: (active) => introspections(String(active)),
    logoutSent: (result) => logouts(result),
    securityEventSent: counter(
      'security_events_total',
      'Security events that the service pushed, by receiver and result: told (the receiver accepted the event), refused (the receiver answered 400) or failed (the service retries).',
      ['receiver', 'result'],
    ),
    documentRead: counter(
      'client_documents_total',
      'Requests for documents of clients by result: read, refused (unacceptable document or host), outage (host unavailable) or limited (not sent, because of a limit).',
      ['document', 'result'],
    ),
  };
}

/** Only the public listener has a limit of connections. */
function addRefused(registry: Registry, refused: RefusedConnections): void {
  new Counter({
    name: 'gatehouse_authorization_connections_refused_total',
    help: 'Connections that the service refused, because the limit of open files was reached. The client sees a reset.',
    registers: [registry],
    collect() {
      this.reset();
      for (const [, count] of refused.counts()) this.inc(count);
    },
  });
}

/** A scrape must succeed even while the store fails. */
function addWaiting(registry: Registry, records: MeasuredParts['records']): void {
  new Gauge({
    name: 'gatehouse_authorization_logout_notices',
    help: 'Clients that the service must still tell about the end of a session. All processes report the same number.',
    registers: [registry],
    async collect() {
      this.set(await records.countLogoutNotices().catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'gatehouse_authorization_security_events',
    help: 'Security events that the service must still send to receivers. All processes report the same number.',
    registers: [registry],
    async collect() {
      this.set(await records.countSecurityEvents().catch(() => Number.NaN));
    },
  });
}

interface CounterOptions {
  readonly name: string;
  readonly help: string;
  /** One label or two. */
  readonly labelNames: readonly [string, string?];
}

/** prom-client hashes the labels at every count, twice for each request. This counter hashes them only at the scrape. */
function counted(registers: Registry, { name, help, labelNames }: CounterOptions) {
  const counts = new Map<string, Map<string, number>>();
  const [one, other] = labelNames;
  new Counter({
    name,
    help,
    labelNames: labelNames.filter((label) => label !== undefined),
    registers: [registers],
    collect() {
      this.reset();
      for (const [first, inner] of counts) {
        for (const [second, count] of inner)
          this.inc(other ? { [one]: first, [other]: second } : { [one]: first }, count);
      }
    },
  });
  return (first: string, second = '') => {
    const inner = counts.get(first) ?? new Map<string, number>();
    if (inner.size === 0) counts.set(first, inner);
    inner.set(second, (inner.get(second) ?? 0) + 1);
  };
}
