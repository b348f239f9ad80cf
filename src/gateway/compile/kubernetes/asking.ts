import { headersOf } from '../envoy/ext-authz.ts';
import type { CompilePlan, PlannedRoute } from '../plan.ts';
import { SERVICE } from './objects.ts';

/** How a proxy asks Gatehouse. Envoy Gateway and Istio have no `encode_raw_headers`, so they can ask only by HTTP. */
export interface AskingSetup {
  readonly protocol: 'http' | 'grpc';
  readonly service: { readonly name: string; readonly port: number };
  /** Headers that the proxy sends, in lower case. Only for `http`. */
  readonly sent: readonly string[];
  /** Headers of the answer for the upstream: prefixes end with `*`. Only for `http`. */
  readonly received: readonly string[];
}

/** The prefix at the decision endpoint for the protocol of Envoy. */
export const PREFIX = '/envoy';

const ALWAYS = ['authorization', 'x-forwarded-for', 'x-forwarded-proto', 'x-request-id', 'origin'];
const PREFLIGHT = ['access-control-request-method', 'max-forwards'];

export function askingOf({ config, routes }: CompilePlan, canUseGrpc = false): AskingSetup {
  const asked = routes.filter(({ judged }) => judged === 'asked');
  const grpc = canUseGrpc ? config.decision_grpc : undefined;
  const port = grpc?.port ?? config.decision?.port ?? 0;
  return {
    protocol: grpc === undefined ? 'http' : 'grpc',
    service: { name: SERVICE, port },
    sent: [...new Set([...ALWAYS, ...PREFLIGHT, ...asked.flatMap(headersOf)])],
    received: receivedBy(asked),
  };
}

function receivedBy(asked: readonly PlannedRoute[]): readonly string[] {
  const names = asked.flatMap(({ identity }) => Object.keys(identity.set).map((name) => name.toLowerCase()));
  return [...new Set(names)].sort();
}
