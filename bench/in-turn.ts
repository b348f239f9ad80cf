/**
 * Each round begins with a different item, the first round with the first. So no item has an advantage from being first
 * or last.
 */
export function inTurn<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = (round - 1) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
