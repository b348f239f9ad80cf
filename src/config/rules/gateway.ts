import { adminParts } from '../schema/admin.ts';
import type { GatewayFile } from '../schema/gateway.ts';
import { healthParts } from '../schema/listener.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { accessChecks } from './access.ts';
import { adminChecks } from './admin.ts';
import { type Checks, runChecks, type Surroundings } from './checks.ts';
import { decisionChecks } from './decision.ts';
import { edgeChecks } from './edge.ts';
import { feedChecks } from './feed.ts';
import { headerChecks } from './headers.ts';
import { httpSchemeChecks } from './http-schemes.ts';
import { impliedScopeChecks } from './implied-scopes.ts';
import { introspectionChecks } from './introspection.ts';
import { keepChecks } from './keep.ts';
import { limitChecks } from './limits.ts';
import { lintChecks } from './lint.ts';
import { listenerFaults } from './listeners.ts';
import { mcpChecks } from './mcp.ts';
import { overrideChecks } from './overrides.ts';
import { receiverChecks } from './receiver.ts';
import { routeChecks } from './routes.ts';
import { ruleChecks } from './rules.ts';
import { serverChecks } from './servers.ts';
import { storeChecks } from './store.ts';
import { type GatewaySubject, gatewaySubject } from './subject.ts';
import { testChecks } from './tests.ts';
import { timerChecks } from './timers.ts';
import { tlsChecks } from './tls.ts';
import { upstreamCredentialChecks } from './upstream-credentials.ts';
import { upstreamChecks } from './upstreams.ts';
import { weakerChecks } from './weaker-routes.ts';
import { workerChecks } from './workers.ts';

/** All rules of gateway.yaml that a schema cannot express. */
export const gatewayChecks: Checks<GatewaySubject> = {
  listeners: ({ config }) =>
    listenerFaults({
      ...config,
      admin: config.admin && adminParts(config.admin),
      health: config.health && healthParts(config.health).listen,
      decision: config.decision?.listen,
      grpc: config.decision?.grpc,
      receiver: config.receiver?.listen,
    }),
  ...tlsChecks,
  ...adminChecks,
  ...routeChecks,
  ...accessChecks,
  ...impliedScopeChecks,
  ...httpSchemeChecks,
  ...ruleChecks,
  ...keepChecks,
  ...overrideChecks,
  ...mcpChecks,
  ...edgeChecks,
  ...serverChecks,
  ...introspectionChecks,
  ...feedChecks,
  ...receiverChecks,
  ...storeChecks,
  ...upstreamChecks,
  ...upstreamCredentialChecks,
  ...headerChecks,
  ...limitChecks,
  ...timerChecks,
  ...testChecks,
  ...weakerChecks,
  ...lintChecks,
  ...workerChecks,
  ...decisionChecks,
};

export function checkGateway(config: GatewayFile, left: readonly Pointer[], around: Surroundings): readonly Finding[] {
  return runChecks(gatewayChecks, gatewaySubject(config, left, around));
}
