import { rawLines } from '../../../base/raw-lines.ts';
import type { ClientRequest } from '../../client/client-message.ts';

/** A request to the decision endpoint. Nothing in it is trusted yet. */
export interface DecisionRequest {
  readonly request: ClientRequest;
  /** The part of the target after the dialect's path. */
  readonly rest: string;
}

/** The client's request, as the proxy describes it. */
export interface Original {
  readonly kind: 'original';
  readonly method: string;
  /** The request-target as the proxy received it, in origin-form or `*`. */
  readonly target: string;
  /** Undefined: the decision request has the same Host as the client's request. */
  readonly host: string | undefined;
  /** Whether the client's connection to the proxy is TLS. */
  readonly secure: boolean;
  /** The time by the proxy's clock, in seconds since the epoch. Undefined: the proxy did not send it. */
  readonly now?: number | undefined;
}

/** The proxy does not send what it must. Either its configuration is wrong, or it let a client's header pass. */
export interface Unclear {
  readonly kind: 'unclear';
  /** For the log. */
  readonly detail: string;
}

export function unclear(detail: string): Unclear {
  return { kind: 'unclear', detail };
}

/**
 * Headers that must occur once. If there are two lines, one may be the client's, and the gateway cannot know which one
 * the proxy wrote.
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

/** For proxies that tell the scheme only by X-Forwarded-Proto. A doubtful scheme counts as not secure. */
export function isForwardedSecure({ request }: DecisionRequest): boolean {
  const [proto = '', ...more] = rawLines(request.rawHeaders, 'x-forwarded-proto');
  return more.length === 0 && SECURE.test(proto);
}

const SECURE = /^(?:https|wss)$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * RFC 9110 §9.1: a method is a token. No HTTP parser produces anything else. A proxy sends the target as it would
 * forward it: in origin-form, or `*` (RFC 9112 §3.2). Any other form contains a host that the gateway did not judge.
 */
export function original(of: Omit<Original, 'kind'>): Original | Unclear {
  if (!TOKEN.test(of.method)) return unclear('the method contains a character that RFC 9110 does not allow');
  const isOrigin = of.target.startsWith('/') || of.target === '*';
  return isOrigin ? { kind: 'original', ...of } : unclear('the target does not begin with `/`');
}
