/** The key of a rate limit. */
export type CountedBy =
  | { readonly kind: 'client_id' | 'sub' | 'address' }
  | { readonly kind: 'claim'; readonly path: string };

export const countedByWords = ['client_id', 'sub', 'address', 'claim:NAME'] as const;

/** The name in the spelling of the file. */
export function countedByText(by: CountedBy): string {
  return by.kind === 'claim' ? `claim:${by.path}` : by.kind;
}

/** `client_id`, `sub`, `address`, or `claim:` and a name or path of claims; undefined for other text. */
export function parseCountedBy(text: string): CountedBy | undefined {
  if (text === 'client_id' || text === 'sub' || text === 'address') return { kind: text };
  return /^claim:\S/.test(text) ? { kind: 'claim', path: text.slice('claim:'.length) } : undefined;
}
