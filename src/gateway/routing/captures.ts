import { matchHost } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import type { RoutePattern } from './routes.ts';

/** The values that the names in a route's patterns matched. */
export interface Captures {
  readonly host: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
}

/** `parts`: the segments of a path that this route matched, in one of its readings. */
export function captures({ host, segments }: RoutePattern, hostName: string, parts: readonly string[]): Captures {
  return { host: host === undefined ? {} : (matchHost(host, hostName) ?? {}), path: pathCaptures(segments, parts) };
}

function pathCaptures(segments: readonly PathSegment[], parts: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'one') found[segment.name] = parts[index] ?? '';
    if (segment.kind === 'rest') found[segment.name] = parts.slice(index).join('/');
  }
  return found;
}
