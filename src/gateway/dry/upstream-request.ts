import type { GatewayConfig } from '../../config/gateway.ts';
import type { Upstream } from '../forward/upstream.ts';
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

/** Of all its urls: which one it is, the moment decides. */
export function authorityOf({ origins }: Upstream): string {
  return origins.map(({ authority }) => authority).join(' or ');
}

const HIDDEN = '[redacted]';

export function upstreamRequest(config: GatewayConfig, head: RequestHead, plan: Forward): UpstreamRequest {
  const { upstream } = plan.route;
  const sender = { requestIdHeader: config.request_id.header.toLowerCase(), requestId: '(made for each request)' };
  const fields = upstreamFields(head, plan, sender);
  const [first] = upstream.origins;
  fields.push('host', first?.host ?? head.host?.value ?? first?.authority ?? '');
  const secret = new Set(['authorization', 'cookie', 'proxy-authorization', upstream.credential?.name.toLowerCase()]);
  return {
    upstream: upstream.name,
    authority: authorityOf(upstream),
    method: head.method,
    target: redactTarget(plan.target),
    headers: [
      ...pairs(fields).map(([name, value]) => [name, secret.has(name.toLowerCase()) ? HIDDEN : value] as const),
      ...digestInWords(plan),
    ],
  };
}

/** Each request gets its own, from the challenge of the moment. */
function digestInWords({ shadow, route: { upstream } }: Forward): UpstreamRequest['headers'] {
  if (upstream.digest === undefined || shadow !== undefined) return [];
  return [['authorization', `Digest as ${upstream.digest.username}`]];
}

/** A token that is kept in the query is not for a screen. */
export function redactTarget(target: string): string {
  return target.replace(/([?&]access_token=)[^&]*/gi, `$1${HIDDEN}`);
}

function pairs(fields: readonly string[]): readonly (readonly [string, string])[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] as string] as const] : []));
}
