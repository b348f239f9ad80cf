import { fold } from '../../config/fold-name.ts';
import type { GatewayConfig } from '../../config/gateway.ts';
import type { Identity } from '../identity.ts';
import { OURS } from './our-fields.ts';

type IdentityHeadersConfig = GatewayConfig['defaults']['identity_headers'];

/** What the upstream is told about the caller, and which inbound headers could pretend to say the same. */
export interface IdentityHeaders {
  /** Those that are written where there is a claim for them, in lower case. */
  readonly names: readonly string[];
  /** Whether a client's header of this name, in lower case, could be taken for one of ours or for a proxy's. */
  spoofs(name: string): boolean;
  /** Name, value, name, value, …; undefined when a claim cannot stand in a header. */
  write(identity: Identity): readonly string[] | undefined;
}

/** `requestId` is the header of the request id, which is ours as well. */
export function identityHeaders({ prefix, set }: IdentityHeadersConfig, requestId = 'X-Request-Id'): IdentityHeaders {
  const names = new Set([...Object.keys(set), requestId].map(fold));
  const folded = fold(prefix);
  const written = new WeakMap<Identity, readonly string[] | undefined>();
  return {
    names: Object.keys(set).map((name) => name.toLowerCase()),
    spoofs: remembering((name) => {
      const plain = fold(name);
      return OURS.has(plain) || FORWARDING.test(plain) || plain.startsWith(folded) || names.has(plain);
    }),
    write(identity) {
      const before = written.get(identity);
      if (before !== undefined) return before;
      const lines = writeClaims(set, identity);
      written.set(identity, lines);
      return lines;
    },
  };
}

const FORWARDING = /^(?:forwarded$|x-forwarded(?:$|-))/;

/** Clients send the same few names again and again; a flood of others is forgotten at once. */
function remembering(judge: (name: string) => boolean, capacity = 1024): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= capacity) known.clear();
    const verdict = judge(name);
    known.set(name, verdict);
    return verdict;
  };
}

function writeClaims(set: Record<string, string>, identity: Identity): readonly string[] | undefined {
  const lines: string[] = [];
  for (const [header, claim] of Object.entries(set)) {
    const value = facts[claim]?.(identity) ?? identity.claims[claim];
    if (value === undefined || value === null) continue;
    const text = headerValue(value);
    if (text === undefined) return undefined;
    lines.push(header.toLowerCase(), text);
  }
  return lines;
}

/** Claims that have a place of their own in an identity, whatever member of the token they came from. */
const facts: Readonly<Record<string, (identity: Identity) => string | undefined>> = {
  sub: (identity) => identity.subject,
  client_id: (identity) => identity.clientId,
  scope: (identity) => [...identity.scopes].join(' '),
};

/** Octets of UTF-8 (RFC 9110 §5.5 obs-text); lists and objects as JSON, so that no separator can be smuggled in. */
function headerValue(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  if (/[\x00-\x1f\x7f]/.test(text) || text !== text.trim()) return undefined;
  return /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
