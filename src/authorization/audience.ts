import { OAuthError } from '../oauth/errors.ts';

/** RFC 8707 §2: every `resource` must be one of ours, byte by byte; without any, the first of ours. */
export function grantedAudience(requested: readonly string[], resources: readonly string[]): readonly string[] {
  if (requested.length === 0) return resources.slice(0, 1);
  if (!requested.every((resource) => resources.includes(resource))) throw new OAuthError('invalid_target');
  return [...new Set(requested)];
}

/** RFC 7519 §4.1.3: one value stands alone. */
export function audienceClaim(audience: readonly string[]): string | readonly string[] {
  return audience.length === 1 ? (audience[0] as string) : audience;
}
