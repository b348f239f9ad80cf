/** A value's place in its list. */
export interface ListEntry<Item> {
  readonly value: Item;
  before: ListEntry<Item> | undefined;
  behind: ListEntry<Item> | undefined;
  isIn: boolean;
}

/**
 * Items in the order in which they came. For items that come and go with each request, this is better than a Set: when
 * V8 makes a new table for a Set, the old table refers to the new one. Once an old table has left the young generation,
 * it keeps all later items alive until the next full collection.
 */
export class LinkedList<Item> {
  #first: ListEntry<Item> | undefined;
  #last: ListEntry<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): ListEntry<Item> {
    const link: ListEntry<Item> = { value: item, before: this.#last, behind: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.behind = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** False: it was not in the list. */
  remove(link: ListEntry<Item>): boolean {
    if (!link.isIn) return false;
    const { before, behind } = link;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    // A removed link refers to nothing, for the reason above.
    link.before = undefined;
    link.behind = undefined;
    link.isIn = false;
    this.#size--;
    return true;
  }

  /** What is in the list now. */
  entries(): readonly ListEntry<Item>[] {
    const links: ListEntry<Item>[] = [];
    for (let link = this.#first; link !== undefined; link = link.behind) links.push(link);
    return links;
  }

  /** Removes all items, and returns them. */
  clear(): readonly Item[] {
    const links = this.entries();
    for (const link of links) this.remove(link);
    return links.map(({ value }) => value);
  }
}
