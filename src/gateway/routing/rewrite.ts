import { type Refused, refused } from '../../base/verdict.ts';
import type { RouteConfig } from '../../config/gateway.ts';
import { judgeTarget, type TargetCode } from './target.ts';

/** The path that the upstream sees. */
export type Rewrite = (path: string) => string | Refused<TargetCode>;

/**
 * What comes out is judged as what came in was: a rewritten path that an upstream could read in another way is refused
 * (advisory 23). The prefix ends at a segment, since the route's pattern begins with it.
 */
export function compileRewrite({ strip_prefix = '', add_prefix = '' }: NonNullable<RouteConfig['rewrite']>): Rewrite {
  const strip = withoutSlash(strip_prefix);
  const add = withoutSlash(add_prefix);
  return (path) => {
    const judged = judgeTarget('GET', `${add}${path.slice(strip.length)}` || '/');
    return judged.kind === 'refused' ? refused(judged.code, 'after rewriting') : judged.path;
  };
}

function withoutSlash(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}
