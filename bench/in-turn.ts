/** Every round begins with another one, the first round with the first: to be first or last is nobody's advantage. */
export function inTurn<Item>(items: readonly Item[], round: number): readonly Item[] {
  const first = (round - 1) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
