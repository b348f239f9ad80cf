import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { fold } from '../../config/words/fold-name.ts';
import type { Forward } from '../decide/outcome.ts';
import { credentialHeaders, credentialParameters } from '../decide/placed-credentials.ts';
import { shadowFields } from '../forward/shadow-fields.ts';
import { upstreamFields } from '../forward/upstream-fields.ts';
import type { RequestHead } from '../message/request-head.ts';
import { decodeForm } from '../routing/form-parameters.ts';
import { foldParameter } from '../routing/lenient-fields.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** The request that an upstream would get. */
export interface UpstreamRequest {
  readonly upstream: string;
  readonly authority: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** All URLs of the upstream. Load and health choose one for each request. */
export function authorityOf({ origins }: Upstream): string {
  return origins.map(({ authority }) => authority).join(' or ');
}

const HIDDEN = '[redacted]';

export function upstreamRequest(config: GatewayConfig, head: RequestHead, plan: Forward): UpstreamRequest {
  const { upstream, schemes } = plan.route;
  const placed = credentialHeaders(schemes);
  const [first] = upstream.origins;
  const host = first?.host ?? head.host?.value ?? first?.authority ?? '';
  const requestIdHeader = config.request_id.header.toLowerCase();
  const sender = { host, requestIdHeader, requestId: '(made for each request)' };
  const fields = plan.asCame ? shadowFields(head.fields, head, plan, sender) : upstreamFields(head, plan, sender);
  const secret = new Set(['authorization', 'cookie', 'proxy-authorization', upstream.credential?.name.toLowerCase()]);
  const isSecret = (name: string) => secret.has(name.toLowerCase()) || placed?.has(fold(name)) === true;
  return {
    upstream: upstream.name,
    authority: authorityOf(upstream),
    method: head.method,
    target: redactTarget(plan.target, credentialParameters(schemes)),
    headers: [
      ...pairs(fields).map(([name, value]) => [name, isSecret(name) ? HIDDEN : value] as const),
      ...digestInWords(plan),
    ],
  };
}

/** Each request gets its own value, from the latest challenge. */
function digestInWords({ shadow, route: { upstream } }: Forward): UpstreamRequest['headers'] {
  if (upstream.digest === undefined || shadow !== undefined) return [];
  return [['authorization', `Digest as ${upstream.digest.username}`]];
}

/** Hides a credential that stays in the query, however its name is written. */
export function redactTarget(target: string, parameters: readonly string[]): string {
  const secret = new Set(['access_token', ...parameters].map(foldParameter));
  return target.replace(/([?&;])([^=&;]*)=[^&;]*/g, (pair, mark: string, name: string) =>
    secret.has(foldParameter(decodeForm(name))) ? `${mark}${name}=${HIDDEN}` : pair,
  );
}

function pairs(fields: readonly string[]): readonly (readonly [string, string])[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] as string] as const] : []));
}
