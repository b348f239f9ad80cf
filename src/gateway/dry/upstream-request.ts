import type { GatewayConfig } from '../../config/gateway.ts';
import { upstreamFields } from '../forward/upstream-fields.ts';
import type { Forward } from '../outcome.ts';
import type { RequestHead } from '../request-head.ts';

/** What an upstream would get. */
export interface UpstreamRequest {
  readonly upstream: string;
  readonly authority: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const HIDDEN = '[redacted]';

export function upstreamRequest(config: GatewayConfig, head: RequestHead, plan: Forward): UpstreamRequest {
  const { upstream } = plan.route;
  const sender = { requestIdHeader: config.request_id.header.toLowerCase(), requestId: '(made for each request)' };
  const fields = upstreamFields(head, plan, sender);
  fields.push('host', upstream.host ?? head.host?.value ?? upstream.authority);
  const secret = new Set(['authorization', 'cookie', 'proxy-authorization', upstream.credential?.name.toLowerCase()]);
  return {
    upstream: upstream.name,
    authority: upstream.authority,
    method: head.method,
    target: redactTarget(plan.target),
    headers: pairs(fields).map(([name, value]) => [name, secret.has(name.toLowerCase()) ? HIDDEN : value]),
  };
}

/** A token that is kept in the query is not for a screen. */
export function redactTarget(target: string): string {
  return target.replace(/([?&]access_token=)[^&]*/gi, `$1${HIDDEN}`);
}

function pairs(fields: readonly string[]): readonly (readonly [string, string])[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] as string] as const] : []));
}
