import { type GatewayConfig, type RouteConfig, schemesOf } from '../../config/gateway.ts';

/** Routes whose users of Basic or Digest are others than before: no probe asks as one of them. */
export function changedSchemes(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(old.routes.map((route) => [route.id, wordsOf(route)]));
  return now.routes.flatMap((route) =>
    (before.get(route.id) ?? BEARER) === wordsOf(route) ? [] : [`routes.${route.id}.auth`],
  );
}

type Schemes = Pick<RouteConfig, 'auth' | 'basic' | 'digest'>;

function wordsOf({ auth, basic, digest }: Schemes): string {
  return JSON.stringify([schemesOf(auth), basic, digest]);
}

/** What the probes try anyway. */
const BEARER = wordsOf({});
