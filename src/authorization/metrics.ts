import { Counter, Gauge, Registry } from 'prom-client';
import type { Counters } from '../storage/counters.ts';

/** Prometheus: what the service counts of itself. */
export interface Metrics {
  readonly registry: Registry;
  answered(endpoint: string, outcome: string): void;
  issued(grantType: string, format: string): void;
  introspected(active: boolean): void;
}

export function buildMetrics(counters: Counters): Metrics {
  const registry = new Registry();
  new Gauge({
    name: 'gatehouse_authorization_counters_reachable',
    help: '0: the shared counters cannot be reached, and this process counts for itself.',
    registers: [registry],
    collect() {
      this.set(counters.reachable() ? 1 : 0);
    },
  });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `gatehouse_authorization_${name}`, help, labelNames, registers: [registry] });

  const answers = counter('answers_total', 'Answers by endpoint and outcome: ok or an error code.', [
    'endpoint',
    'outcome',
  ]);
  const tokens = counter('tokens_issued_total', 'Access tokens by grant type and format.', ['grant_type', 'format']);
  const introspections = counter('introspections_total', 'Introspection answers.', ['active']);
  return {
    registry,
    answered: (endpoint, outcome) => answers.inc({ endpoint, outcome }),
    issued: (grant_type, format) => tokens.inc({ grant_type, format }),
    introspected: (active) => introspections.inc({ active: String(active) }),
  };
}
