import { remembered } from '../../base/remembered.ts';
import { normalizeHost } from '../../config/words/host.ts';

/**
 * The name under which routes know a Host (RFC 9112 §3.2): without case, port or trailing dot; undefined when the value
 * is no valid Host. Remembers the few values that a deployment really has, and forgets all when a flood of others comes.
 */
export function hostNames(capacity?: number): (authority: string) => string | undefined {
  return remembered(normalizeHost, capacity);
}
