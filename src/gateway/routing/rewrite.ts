import { type Refused, refused } from '../../base/verdict.ts';
import type { RouteConfig } from '../../config/schema/gateway.ts';
import { judgeTarget, type TargetCode } from '../message/target.ts';

/** The path that the upstream sees. */
export type Rewrite = (path: string) => string | Refused<TargetCode>;

/**
 * The rewritten path is judged like the received one: a path that an upstream could read in another way is refused
 * (advisory 23). The prefix ends at a segment, since the route's pattern begins with it.
 */
export function compileRewrite({ strip_prefix = '', add_prefix = '' }: NonNullable<RouteConfig['rewrite']>): Rewrite {
  const depth = withoutSlash(strip_prefix).split('/').length - 1;
  const add = withoutSlash(add_prefix);
  return (path) => {
    const judged = judgeTarget('GET', `${add}${below(path, depth)}` || '/');
    if (judged.kind !== 'refused') return judged.path;
    return { ...refused(judged.code, 'after rewriting'), cause: 'rewrite' };
  };
}

/** The path after the first segments. It counts segments, because a request may spell their text differently. */
function below(path: string, depth: number): string {
  let end = 0;
  for (let passed = 0; passed < depth && end !== -1; passed++) end = path.indexOf('/', end + 1);
  return end === -1 ? '' : path.slice(end);
}

function withoutSlash(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}
