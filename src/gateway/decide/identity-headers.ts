import { remembering } from '../../base/remembered.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { PassHeader } from '../../config/schema/route.ts';
import { type CertificateHeader, certificateHeaders } from '../../config/words/certificate-headers.ts';
import { fold } from '../../config/words/fold-name.ts';
import { overrideHeaders } from '../../config/words/override-headers.ts';
import { ownValue } from '../../config/words/own-value.ts';
import type { Identity } from '../message/identity.ts';
import { OURS } from '../message/reserved-headers.ts';

type IdentityHeadersConfig = GatewayConfig['defaults']['identity_headers'];

/** The headers that tell the upstream who the caller is, and the inbound headers that could forge them. */
export interface IdentityHeaders {
  /** Headers that the gateway writes if the identity has the claim, in lower case. */
  readonly names: readonly string[];
  /**
   * Whether a header of this name (lower case) is dangerous: it could pass for one of the gateway's headers or a
   * proxy's, or lead an upstream to another path or method. `isFromProxy`: a trusted proxy sent it.
   */
  spoofs(name: string, isFromProxy?: boolean): boolean;
  /**
   * Whether the gateway drops this header once the route enforces. The result differs from `spoofs` only in shadow
   * mode.
   */
  dropsLater(name: string, isFromProxy?: boolean): boolean;
  /** Name, value, name, value, … Undefined: a claim contains a character that a header cannot contain. */
  write(identity: Identity): readonly string[] | undefined;
}

/** More headers to drop, and headers to keep. */
export interface DroppedHeaderRules {
  /** The header of the request id, which the gateway also writes. */
  readonly requestId?: string;
  /** Headers that the gateway drops by default but lets pass here: from every client, or only from a trusted proxy. */
  readonly passed?: readonly PassHeader[];
  readonly passedFromProxies?: readonly PassHeader[];
  readonly onlySet?: OnlySet;
  readonly also?: AlsoOurs;
}

/** Names and prefixes of other routes to the same upstream. */
export interface AlsoOurs {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** In shadow mode, the gateway drops only the headers of `set`, and these headers if a client itself sent them. */
export interface OnlySet {
  readonly certificates: readonly CertificateHeader[];
}

export function identityHeaders(
  { prefix, set }: IdentityHeadersConfig,
  {
    requestId = 'X-Request-Id',
    passed = [],
    passedFromProxies = passed,
    onlySet,
    also = NOTHING,
  }: DroppedHeaderRules = {},
): IdentityHeaders {
  const names = [...Object.keys(set), ...also.names];
  const own = { prefixes: [prefix, ...also.prefixes].map(fold), names: [...names, requestId] };
  const fromAnybody = remembering(spoofing(own, passed));
  const fromProxies = passedFromProxies === passed ? fromAnybody : remembering(spoofing(own, passedFromProxies));
  const dropsLater: IdentityHeaders['spoofs'] = (name, isFromProxy = false) =>
    (isFromProxy ? fromProxies : fromAnybody)(name);
  const written = new WeakMap<Identity, readonly string[] | undefined>();
  return {
    names: Object.keys(set).map((name) => name.toLowerCase()),
    spoofs: onlySet === undefined ? dropsLater : spoofingSet(names, onlySet),
    dropsLater,
    write(identity) {
      const before = written.get(identity);
      if (before !== undefined) return before;
      const lines = writeClaims(set, identity);
      written.set(identity, lines);
      return lines;
    },
  };
}

const NOTHING: AlsoOurs = { names: [], prefixes: [] };

interface Own {
  /** Folded. */
  readonly prefixes: readonly string[];
  readonly names: readonly string[];
}

function spoofing({ prefixes, names }: Own, passed: readonly PassHeader[]): (name: string) => boolean {
  const overrides = overrideHeaders.filter((name) => !passed.includes(name));
  const exact = new Set([...names, ...overrides].map(fold));
  const certificates = certificateHeaders.filter((name) => !passed.includes(name)).map(fold);
  return (name) => {
    const plain = fold(name);
    if (OURS.has(plain) || FORWARDING.test(plain) || exact.has(plain)) return true;
    if (prefixes.some((prefix) => plain.startsWith(prefix))) return true;
    return certificates.some((each) => isOrExtends(plain, each));
  };
}

function spoofingSet(names: readonly string[], { certificates }: OnlySet): IdentityHeaders['spoofs'] {
  const exact = new Set(names.map(fold));
  const isSet = remembering((name) => exact.has(fold(name)));
  const isCertificate = remembering((name) => certificates.some((each) => isOrExtends(fold(name), fold(each))));
  return (name, isFromProxy = false) => isSet(name) || (!isFromProxy && isCertificate(name));
}

function isOrExtends(plain: string, name: string): boolean {
  return plain === name || plain.startsWith(`${name}-`);
}

const FORWARDING = /^(?:forwarded$|x-forwarded(?:$|-))/;

function writeClaims(set: Record<string, string>, identity: Identity): readonly string[] | undefined {
  const lines: string[] = [];
  for (const [header, claim] of Object.entries(set)) {
    const fact = facts.get(claim);
    const value = fact === undefined ? ownValue(identity.claims, claim) : fact(identity);
    if (value === undefined || value === null) continue;
    const text = headerValue(value);
    if (text === undefined) return undefined;
    lines.push(header.toLowerCase(), text);
  }
  return lines;
}

/**
 * Claims that have their own place in an identity, whichever member of the token contains them. Limits, logs and rules
 * use this place. A claim of a different type is absent there, so it makes no header either.
 */
const facts: ReadonlyMap<string, (identity: Identity) => string | undefined> = new Map([
  ['sub', (identity: Identity) => identity.subject],
  ['client_id', (identity: Identity) => identity.clientId],
  ['scope', (identity: Identity) => [...identity.scopes].join(' ')],
]);

/** Octets of UTF-8 (RFC 9110 §5.5 obs-text). Lists and objects become JSON, so that no separator can be smuggled in. */
function headerValue(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  if (/[\x00-\x1f\x7f]/.test(text) || text !== text.trim()) return undefined;
  return /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
