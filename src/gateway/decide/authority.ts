import { normalizeHost } from '../../config/host.ts';

/**
 * The name under which routes know a Host (RFC 9112 §3.2): without case, port or trailing dot; undefined when the value
 * is no valid Host. Remembers the few values that a deployment really has, and forgets all when a flood of others comes.
 */
export function hostNames(capacity = 1024): (authority: string) => string | undefined {
  const known = new Map<string, string>();
  return (authority) => {
    const before = known.get(authority);
    if (before !== undefined) return before;
    const name = normalizeHost(authority);
    if (name === undefined) return undefined;
    if (known.size >= capacity) known.clear();
    known.set(authority, name);
    return name;
  };
}
