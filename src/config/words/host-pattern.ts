import { normalizeHost } from './host.ts';

/** A label of a host pattern: literal text, or a name that matches any one label. */
export type HostLabel =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'one'; readonly name: string };

export interface HostPattern {
  readonly kind: 'pattern';
  readonly labels: readonly HostLabel[];
  /** The host itself in its form for comparison; undefined if a label is a name. */
  readonly exact: string | undefined;
}

/** Parses `{tenant}.api.example.com`; undefined if the text is neither a host nor a pattern. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const names = [...text.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name]) => name as string);
  if (new Set(names).size !== names.length) return undefined;
  // Replaces each name with a valid label, so that the check of hosts also works for patterns.
  const host = normalizeHost(text.replace(/\{[A-Za-z_][A-Za-z0-9_]*\}/g, PLACE));
  if (host === undefined || (names.length > 0 && host.startsWith('['))) return undefined;
  if (names.length === 0) return { kind: 'pattern', labels: [{ kind: 'literal', text: host }], exact: host };
  const left = [...names];
  const labels = host.split('.').map((label): HostLabel => {
    return label === PLACE ? { kind: 'one', name: left.shift() as string } : { kind: 'literal', text: label };
  });
  // A name must be a whole label.
  return left.length > 0 || labels.some((label) => label.kind === 'literal' && label.text.includes(PLACE))
    ? undefined
    : { kind: 'pattern', labels, exact: undefined };
}

const PLACE = '__name__';

/** The shape of a pattern. Two patterns with the same shape match the same hosts. */
export function hostShape({ labels }: HostPattern): string {
  return labels.map((label) => (label.kind === 'literal' ? label.text : '{}')).join('.');
}

/** The labels that match the names; undefined if the host does not match. `host` is in the form for comparison. */
export function matchHost({ labels, exact }: HostPattern, host: string): Readonly<Record<string, string>> | undefined {
  if (exact !== undefined) return host === exact ? {} : undefined;
  const parts = host.split('.');
  if (parts.length !== labels.length) return undefined;
  const captures: Record<string, string> = {};
  for (const [index, label] of labels.entries()) {
    const part = parts[index] as string;
    if (label.kind === 'one') captures[label.name] = part;
    else if (label.text !== part) return undefined;
  }
  return captures;
}

/** Negative if the first is more specific. Labels are compared from the right, and a literal comes before a name. */
export function compareHosts(one: HostPattern, other: HostPattern): number {
  const [left, right] = [one.labels.toReversed(), other.labels.toReversed()];
  for (const [index, label] of left.entries()) {
    const rank = Number(label.kind === 'one') - Number(right[index]?.kind === 'one');
    if (rank !== 0) return rank;
  }
  return right.length - left.length;
}
