import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { impliersIn } from '../../config/words/implied-scopes.ts';

/** Scopes that now imply a scope that they did not imply before. */
export function changedImplications(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const [before, after] = [impliersIn(old.scopes), impliersIn(now.scopes)];
  const implied = new Set(Object.values(now.scopes ?? {}).flatMap(({ implies }) => implies));
  const pairs = [...implied].flatMap((scope) => {
    const known = new Set(before(scope));
    return after(scope).flatMap((stronger) => (known.has(stronger) ? [] : [[stronger, scope] as const]));
  });
  const byScope = Map.groupBy(pairs, ([stronger]) => stronger);
  return [...byScope].map(
    ([stronger, found]) => `scopes.${stronger}.implies: now also ${found.map(([, scope]) => scope).join(', ')}`,
  );
}
