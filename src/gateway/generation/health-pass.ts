import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { ANSWER_TIMES } from '../../config/words/answer-times.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** A path of the health listener that an upstream answers. */
export interface HealthPass {
  readonly upstream: Upstream;
  readonly path: string;
  /** Milliseconds to the first byte of the answer. */
  readonly timeout: number;
}

export function compileHealthPasses(
  { health_passes, upstreams: blocks }: GatewayConfig,
  upstreams: ReadonlyMap<string, Upstream>,
): ReadonlyMap<string, HealthPass> {
  const passes = Object.entries(health_passes).flatMap(([asked, { upstream: name, path }]) => {
    const upstream = upstreams.get(name);
    const timeout = blocks[name]?.timeout.response ?? ANSWER_TIMES.response;
    return upstream === undefined ? [] : [[asked, { upstream, path, timeout }] as const];
  });
  return new Map(passes);
}
