import { isMap, isNode, isSeq, type Node } from 'yaml';

/** The largest depth of nested lists and maps, including those of aliases. */
export const MOST_DEPTH = 100;

/** The first list or map below the depth limit. It uses no recursion, because such a file would exhaust the stack. */
export function deeperThan(most: number, contents: unknown): Node | undefined {
  const left: { readonly node: Node; readonly depth: number }[] = [];
  const add = (node: unknown, depth: number) => {
    if (isNode(node)) left.push({ node, depth });
  };
  add(contents, 1);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, depth } = next;
    if (depth > most && (isSeq(node) || isMap(node))) return node;
    if (isSeq(node)) for (const item of node.items) add(item, depth + 1);
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        add(key, depth + 1);
        add(value, depth + 1);
      }
    }
  }
  return undefined;
}
