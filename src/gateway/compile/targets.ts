import { renderEnvoy } from './envoy/render.ts';
import { envoyGatewayLimits } from './envoy-gateway/limits.ts';
import { renderEnvoyGateway } from './envoy-gateway/render.ts';
import { gatewayApiLimits } from './gateway-api/limits.ts';
import { renderGatewayApi } from './gateway-api/render.ts';
import { istioLimits } from './istio/limits.ts';
import { renderIstio } from './istio/render.ts';
import { tokenDifferences } from './kubernetes/token-limits.ts';
import { noLimits, type TargetLimits } from './limits.ts';
import type { CompilePlan } from './plan.ts';

export interface CompileTarget {
  readonly description: string;
  /** The name of the output in the folder of `--out`. */
  readonly filename: string;
  /** What this target cannot say, beside the general rules. */
  readonly limits: TargetLimits;
  /** Differences that an operator can accept by name. */
  readonly accepts: readonly string[];
  /** The output contains keys, so it can have keys for tests. */
  readonly hasOwnKeys?: true;
  render(plan: CompilePlan): string;
}

/** One row for each program that can judge in place of the gateway. */
export const compileTargets: Readonly<Record<string, CompileTarget>> = {
  envoy: {
    description: 'write the configuration of an Envoy that applies the rules of this file',
    filename: 'envoy.yaml',
    limits: noLimits,
    accepts: [],
    hasOwnKeys: true,
    render: renderEnvoy,
  },
  'gateway-api': {
    description: 'write HTTPRoutes of Gateway API, so that the proxy asks Gatehouse about requests to protected routes',
    filename: 'gateway-api.yaml',
    limits: gatewayApiLimits,
    accepts: ['identity-headers'],
    render: renderGatewayApi,
  },
  'envoy-gateway': {
    description: 'write HTTPRoutes for Envoy Gateway, each with a SecurityPolicy',
    filename: 'envoy-gateway.yaml',
    limits: envoyGatewayLimits,
    accepts: tokenDifferences,
    render: renderEnvoyGateway,
  },
  istio: {
    description: 'write a RequestAuthentication, AuthorizationPolicies and HTTPRoutes for Istio',
    filename: 'istio.yaml',
    limits: istioLimits,
    accepts: tokenDifferences,
    render: renderIstio,
  },
};
