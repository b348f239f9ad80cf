import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

/** Alias → its node: the last node above the alias with its anchor. A lookup for each alias would search the whole file. */
export function aliasTargets(document: Document | Node): ReadonlyMap<Alias, Node> {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchored.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
  return targets;
}
