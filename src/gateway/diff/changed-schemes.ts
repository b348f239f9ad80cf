import { type GatewayConfig, type RouteConfig, schemesOf } from '../../config/schema/gateway.ts';
import { blocksOf, type SchemeBlocks } from '../../config/schema/http-schemes.ts';

/**
 * Routes whose schemes, or the blocks of these schemes, have changed. A probe asks as a user of a scheme, but does not try
 * the other keys of its block.
 */
export function changedSchemes(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(old.routes.map((route) => [route.id, wordsOf(route)]));
  return now.routes.flatMap((route) =>
    (before.get(route.id) ?? BEARER) === wordsOf(route) ? [] : [`routes.${route.id}.auth`],
  );
}

function wordsOf(route: SchemeBlocks & Pick<RouteConfig, 'auth'>): string {
  return JSON.stringify([schemesOf(route.auth), blocksOf(route).map(({ name, block }) => [name, block])]);
}

/** The probes already try bearer tokens. */
const BEARER = wordsOf({});
