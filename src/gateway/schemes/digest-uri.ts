import type { RequestHead } from '../request-head.ts';
import { judgeTarget } from '../routing/target.ts';

/**
 * Whether `uri` is the target of the request (RFC 7616 §3.4.6), as it was received: else whoever saw one response could
 * send it with another path or query. `normalized` also takes another spelling of the same path.
 */
export function uriFits(uri: string, head: RequestHead, mode: 'exact' | 'normalized'): boolean {
  if (uri === head.target) return true;
  const [written, received] = [originForm(uri, head), originForm(head.target, head)];
  if (written === undefined || received === undefined) return false;
  if (written === received) return true;
  return mode === 'normalized' && sameTarget(written, received, head.method);
}

/** Of an absolute-form the path and query, where it names this server; undefined where it names another. */
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
