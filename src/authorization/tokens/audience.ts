import { OAuthError } from '../../oauth/errors.ts';

/** RFC 8707 §2: every `resource` must be one of ours, byte by byte; without any, the first of ours. */
export function grantedAudience(requested: readonly string[], resources: readonly string[]): readonly string[] {
  if (requested.length === 0) return resources.slice(0, 1);
  return within(requested, resources);
}

/** RFC 8707 §2.2: an exchange may ask for some of what was granted; without a request, for all. */
export function narrowedAudience(requested: readonly string[], granted: readonly string[]): readonly string[] {
  return requested.length === 0 ? granted : within(requested, granted);
}

function within(requested: readonly string[], allowed: readonly string[]): readonly string[] {
  if (!requested.every((resource) => allowed.includes(resource))) throw new OAuthError('invalid_target');
  return [...new Set(requested)];
}
