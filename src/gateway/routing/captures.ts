import { matchHost } from '../../config/host-pattern.ts';
import type { PathSegment } from '../../config/path-pattern.ts';
import type { Placed } from './routes.ts';

/** What the names of a route's patterns stood for in a request. */
export interface Captures {
  readonly host: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
}

/** `path` is the judged path of a request that this route matched. */
export function captures({ host, segments }: Placed, hostName: string, path: string): Captures {
  return { host: host === undefined ? {} : (matchHost(host, hostName) ?? {}), path: pathCaptures(segments, path) };
}

function pathCaptures(segments: readonly PathSegment[], path: string): Readonly<Record<string, string>> {
  const parts = path.slice(1).split('/');
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'one') found[segment.name] = decoded(parts[index] ?? '');
    if (segment.kind === 'rest') found[segment.name] = decoded(parts.slice(index).join('/'));
  }
  return found;
}

/** As the application will see it; octets that are no UTF-8 stay encoded, and so equal no claim. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
