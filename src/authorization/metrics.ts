import { Counter, Registry } from 'prom-client';

/** Prometheus: what the service counts of itself. */
export interface Metrics {
  readonly registry: Registry;
  answered(endpoint: string, outcome: string): void;
  issued(grantType: string, format: string): void;
  introspected(active: boolean): void;
}

export function buildMetrics(): Metrics {
  const registry = new Registry();
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
