import { remembered } from '../../base/remembered.ts';
import { normalizeHost } from '../../config/words/host.ts';

/**
 * Normalizes a Host for comparison with routes (RFC 9112 §3.2): lower case, without port and trailing dot. Undefined:
 * the value is not a valid Host. Remembers the few values that a deployment has, and forgets all of them if many others
 * arrive.
 */
export function hostNames(capacity?: number): (authority: string) => string | undefined {
  return remembered(normalizeHost, capacity);
}
