import { type Checks, runChecks, type Surroundings } from './checks.ts';
import { accessChecks } from './checks-access.ts';
import { decisionChecks } from './checks-decision.ts';
import { edgeChecks } from './checks-edge.ts';
import { feedChecks } from './checks-feed.ts';
import { headerChecks } from './checks-headers.ts';
import { httpSchemeChecks } from './checks-http-schemes.ts';
import { introspectionChecks } from './checks-introspection.ts';
import { keepChecks } from './checks-keep.ts';
import { limitChecks } from './checks-limits.ts';
import { lintChecks } from './checks-lint.ts';
import { listenerFaults } from './checks-listeners.ts';
import { routeChecks } from './checks-routes.ts';
import { ruleChecks } from './checks-rules.ts';
import { serverChecks } from './checks-servers.ts';
import { storeChecks } from './checks-store.ts';
import { testChecks } from './checks-tests.ts';
import { timerChecks } from './checks-timers.ts';
import { tlsChecks } from './checks-tls.ts';
import { upstreamCredentialChecks } from './checks-upstream-credentials.ts';
import { upstreamChecks } from './checks-upstreams.ts';
import { userSourceChecks } from './checks-user-sources.ts';
import { workerChecks } from './checks-workers.ts';
import type { GatewayFile } from './gateway.ts';
import { healthParts } from './listener.ts';
import type { Finding, Pointer } from './problem.ts';
import { type GatewaySubject, gatewaySubject } from './subject.ts';

/** Every rule of gateway.yaml that a schema cannot say. */
export const gatewayChecks: Checks<GatewaySubject> = {
  listeners: ({ config }) =>
    listenerFaults({
      ...config,
      health: config.health && healthParts(config.health).listen,
      decision: config.decision?.listen,
    }),
  ...tlsChecks,
  ...routeChecks,
  ...accessChecks,
  ...httpSchemeChecks,
  ...userSourceChecks,
  ...ruleChecks,
  ...keepChecks,
  ...edgeChecks,
  ...serverChecks,
  ...introspectionChecks,
  ...feedChecks,
  ...storeChecks,
  ...upstreamChecks,
  ...upstreamCredentialChecks,
  ...headerChecks,
  ...limitChecks,
  ...timerChecks,
  ...testChecks,
  ...lintChecks,
  ...workerChecks,
  ...decisionChecks,
};

export function checkGateway(config: GatewayFile, left: readonly Pointer[], around: Surroundings): readonly Finding[] {
  return runChecks(gatewayChecks, gatewaySubject(config, left, around));
}
