import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { resourceMetadataUrl } from '../../../config/words/resource-metadata.ts';
import { bearerChallenge } from '../../../http-auth/bearer.ts';
import { type EnvoyPart, extension } from './part.ts';

/** The answers of Envoy itself, in the form of the gateway's: RFC 9457 bodies and the challenges of RFC 6750 §3. */

interface ReplyRow {
  /** CEL over the answer. */
  readonly when: string;
  readonly status: number;
  readonly title: string;
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly challenges: boolean;
}

/** A cache may keep a 404 or 405 without this header (RFC 9110 §15.1). */
const NO_STORE = overwriting('cache-control', 'no-store');

const DETAILS = 'response.code_details';

const rows: readonly ReplyRow[] = [
  {
    when: `${DETAILS} == 'jwt_authn_access_denied{Jwt_is_missing}'`,
    status: 401,
    title: 'No credentials sent.',
    challenges: true,
  },
  {
    when: `${DETAILS}.startsWith('jwt_authn_access_denied')`,
    status: 401,
    title: 'The access token is not valid.',
    error: 'invalid_token',
    challenges: true,
  },
  {
    when: `${DETAILS} == 'rbac_access_denied_matched_policy[none]'`,
    status: 403,
    title: 'The access token does not meet the rules of this route.',
    error: 'insufficient_scope',
    challenges: true,
  },
  {
    when: `${DETAILS}.startsWith('rbac_access_denied')`,
    status: 403,
    title: 'The proxy does not accept the form of this request.',
    challenges: false,
  },
];

export function localReplies(config: GatewayConfig): EnvoyPart {
  return { mappers: rows.map((row) => mapper(row, config)) };
}

function mapper({ when, status, title, error, challenges }: ReplyRow, config: GatewayConfig): EnvoyPart {
  const filter = extension(
    'envoy.access_loggers.extension_filters.cel',
    'envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter',
    { expression: when },
  );
  return {
    filter: { extension_filter: filter },
    status_code: status,
    headers_to_add: [NO_STORE, ...(challenges ? [overwriting('www-authenticate', challengeOf(config, error))] : [])],
    body_format_override: {
      json_format: { status, title, request_id: '%REQ(X-REQUEST-ID)%' },
      content_type: 'application/problem+json',
    },
  };
}

function challengeOf({ realm, resource }: GatewayConfig, error: ReplyRow['error']): string {
  const resourceMetadata = resource === undefined ? undefined : resourceMetadataUrl(resource).href;
  return unformatted(bearerChallenge({ realm, error, resourceMetadata }));
}

/** Envoy reads `%` as the start of a command. */
export function unformatted(text: string): string {
  return text.replaceAll('%', '%%');
}

export function overwriting(key: string, value: string): EnvoyPart {
  return { header: { key, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
}

/** A refusal by the table of routes. */
export function problemReply(status: 404 | 405, title: string, headers: readonly EnvoyPart[] = []): EnvoyPart {
  return {
    direct_response: { status, body: { inline_string: JSON.stringify({ status, title }) } },
    response_headers_to_add: [overwriting('content-type', 'application/problem+json'), NO_STORE, ...headers],
  };
}
