import { type Checks, runChecks, type Surroundings } from './checks.ts';
import { accessChecks } from './checks-access.ts';
import { edgeChecks } from './checks-edge.ts';
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
import { upstreamChecks } from './checks-upstreams.ts';
import type { GatewayFile } from './gateway.ts';
import { healthParts } from './listener.ts';
import type { Finding, Pointer } from './problem.ts';
import { type GatewaySubject, gatewaySubject } from './subject.ts';

/** Every rule of gateway.yaml that a schema cannot say. */
export const gatewayChecks: Checks<GatewaySubject> = {
  listeners: ({ config }) => listenerFaults({ ...config, health: config.health && healthParts(config.health).listen }),
  ...tlsChecks,
  ...routeChecks,
  ...accessChecks,
  ...httpSchemeChecks,
  ...ruleChecks,
  ...keepChecks,
  ...edgeChecks,
  ...serverChecks,
  ...introspectionChecks,
  ...storeChecks,
  ...upstreamChecks,
  ...headerChecks,
  ...limitChecks,
  ...timerChecks,
  ...testChecks,
  ...lintChecks,
};

export function checkGateway(config: GatewayFile, left: readonly Pointer[], around: Surroundings): readonly Finding[] {
  return runChecks(gatewayChecks, gatewaySubject(config, left, around));
}
