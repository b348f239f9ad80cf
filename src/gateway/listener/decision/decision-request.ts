import { rawLines } from '../../../base/raw-lines.ts';
import type { ClientRequest } from '../../client/client-message.ts';

/** A request to the decision endpoint, before anything of it is believed. */
export interface DecisionRequest {
  readonly request: ClientRequest;
  /** What follows the path of the dialect. */
  readonly rest: string;
}

/** The request that is asked about, as the proxy tells it. */
export interface Original {
  readonly kind: 'original';
  readonly method: string;
  /** The request-target as the proxy received it, in origin-form or `*`. */
  readonly target: string;
  /** Undefined: the Host of the question is that of the request. */
  readonly host: string | undefined;
  /** Whether the client's connection to the proxy is TLS. */
  readonly secure: boolean;
  /** When it is, by the clock of the proxy: seconds since the epoch. Undefined: it does not say. */
  readonly now?: number | undefined;
}

/** The proxy does not say what it should: a fault of its configuration, or a client's header that it let pass. */
export interface Unclear {
  readonly kind: 'unclear';
  /** For the log. */
  readonly detail: string;
}

export function unclear(detail: string): Unclear {
  return { kind: 'unclear', detail };
}

/**
 * Headers that must occur once. With two lines, one may be the client's, and the gateway cannot know which one the proxy
 * wrote.
 */
export function onlyLines<Name extends string>(
  { request }: DecisionRequest,
  names: readonly Name[],
): { readonly kind: 'lines'; readonly of: Readonly<Record<Name, string>> } | Unclear {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const [value, ...more] = rawLines(request.rawHeaders, name);
    if (value === undefined || value === '') return unclear(`there is no ${name}`);
    if (more.length > 0) return unclear(`${name} occurs ${more.length + 1} times`);
    found[name] = value;
  }
  return { kind: 'lines', of: found as Record<Name, string> };
}

/** Where the proxy tells the scheme of the client's connection and nothing else does; a doubtful one is not secure. */
export function isForwardedSecure({ request }: DecisionRequest): boolean {
  const [proto = '', ...more] = rawLines(request.rawHeaders, 'x-forwarded-proto');
  return more.length === 0 && SECURE.test(proto);
}

const SECURE = /^(?:https|wss)$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * RFC 9110 §9.1: a method is a token. No HTTP parser produces anything else. A proxy sends the target as it would forward it:
 * in origin-form, or `*` (RFC 9112 §3.2). Any other form holds a host that was not judged.
 */
export function original(of: Omit<Original, 'kind'>): Original | Unclear {
  if (!TOKEN.test(of.method)) return unclear('the method is none');
  const isOrigin = of.target.startsWith('/') || of.target === '*';
  return isOrigin ? { kind: 'original', ...of } : unclear('the target does not begin with `/`');
}
