import type { RequestHead } from '../../message/request-head.ts';
import { judgeTarget } from '../../message/target.ts';

export type UriMatch = 'exact' | 'normalized';

/** As in the file. */
export interface UriRule {
  readonly uri_match: UriMatch;
  /**
   * Fields in which a trusted proxy sends the target that it received. The proxy must set each of them on every
   * request. Otherwise a client could set it.
   */
  readonly uri_from: readonly ProxyField[];
}

/**
 * Whether `uri` is the request target as received (RFC 7616 §3.4.6). Otherwise an eavesdropper could send a response
 * with another path or query. `normalized` also accepts another spelling of the same path. Behind a trusted proxy,
 * `uri` may be the target that the proxy received: clients hash the target that they send, and proxies rewrite it.
 */
export function uriFits(uri: string, head: RequestHead, { uri_match, uri_from }: UriRule): boolean {
  if (uri === head.target || fits(uri, head.target, head, uri_match)) return true;
  if (uri_from.length === 0 || !head.origin.isProxied) return false;
  return targetsBefore(head, uri_from).some((target) => fits(uri, target, head, uri_match));
}

/** How proxies send the target that they received: as a whole, or as the prefix that they removed. */
const proxyFields = {
  'X-Original-URI': (value: string) => value,
  'X-Forwarded-Uri': (value: string) => value,
  'X-Forwarded-Prefix': (value: string, head: RequestHead) => `${withoutSlashes(value)}${head.target}`,
} as const;

/**
 * Removes trailing slashes. A regular expression would take quadratic time for many slashes before another character.
 */
function withoutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}

type ProxyField = keyof typeof proxyFields;

/** A repeated header proves nothing, because one of its lines may be the client's. */
function targetsBefore(head: RequestHead, names: readonly ProxyField[]): readonly string[] {
  return names.flatMap((field) => {
    const name = field.toLowerCase();
    const [value, ...more] = head.fields.filter((_, index) => index % 2 === 1 && head.fields[index - 1] === name);
    return value?.startsWith('/') && more.length === 0 ? [proxyFields[field](value, head)] : [];
  });
}

function fits(uri: string, target: string, head: RequestHead, mode: UriMatch): boolean {
  const [written, received] = [originForm(uri, head), originForm(target, head)];
  if (written === undefined || received === undefined) return false;
  if (written === received) return true;
  return mode === 'normalized' && sameTarget(written, received, head.method);
}

/** For an absolute-form: path and query if it names this server. Undefined: it names another server. */
function originForm(target: string, { host, origin }: RequestHead): string | undefined {
  const [whole, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(target) ?? [];
  if (whole === undefined) return target;
  const isOurs = scheme?.toLowerCase() === (origin.secure ? 'https' : 'http');
  if (!isOurs || authority?.toLowerCase() !== host?.value.toLowerCase()) return undefined;
  const rest = target.slice(whole.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function sameTarget(written: string, received: string, method: string): boolean {
  const [one, other] = [judgeTarget(method, written), judgeTarget(method, received)];
  if (one.kind === 'refused' || other.kind === 'refused') return false;
  return one.path === other.path && one.query === other.query;
}
