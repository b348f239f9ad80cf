/** An item's place in its list. */
export interface Link<Item> {
  readonly item: Item;
  before: Link<Item> | undefined;
  behind: Link<Item> | undefined;
  isIn: boolean;
}

/**
 * Items in the order in which they came. For items that come and go with each request, this is better than a Set: when
 * V8 makes a new table for a Set, the old table refers to the new one. Once an old table has left the young generation,
 * it keeps all later items alive until the next full collection.
 */
export class LinkedList<Item> {
  #first: Link<Item> | undefined;
  #last: Link<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): Link<Item> {
    const link: Link<Item> = { item, before: this.#last, behind: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.behind = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** False: it was not in the list. */
  remove(link: Link<Item>): boolean {
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
  links(): readonly Link<Item>[] {
    const links: Link<Item>[] = [];
    for (let link = this.#first; link !== undefined; link = link.behind) links.push(link);
    return links;
  }

  /** Removes all items, and returns them. */
  clear(): readonly Item[] {
    const links = this.links();
    for (const link of links) this.remove(link);
    return links.map(({ item }) => item);
  }
}
