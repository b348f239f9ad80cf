import type { RouteConfig } from '../../config/schema/gateway.ts';
import { claimAt } from '../message/claim-path.ts';
import type { Identity } from '../message/identity.ts';
import type { Captures } from '../routing/captures.ts';

type ClaimsConfig = NonNullable<RouteConfig['claims']>;
type ClaimConfig = ClaimsConfig[string];

/** Whether the claims meet the route's conditions. */
export type ClaimsHold = (identity: Identity, captured: Captures) => boolean;

/** Compares a claim's whole value and type (advisory 19). Nothing is split, folded or converted. */
export function claimConditions(config: ClaimsConfig): ClaimsHold {
  const tests = Object.entries(config).map(([path, condition]) => ({ path, holds: claimTest(condition) }));
  return (identity, captured) =>
    tests.every(({ path, holds }) => {
      const value = claimAt(identity.claims, path);
      return value !== undefined && holds(value, captured);
    });
}

type ClaimTest = (value: unknown, captured: Captures) => boolean;

function claimTest(condition: ClaimConfig): ClaimTest {
  if ('one_of' in condition)
    return (value, captured) => condition.one_of.some((wanted) => value === meant(wanted, captured));
  if ('contains' in condition) {
    return (value, captured) => Array.isArray(value) && value.includes(meant(condition.contains, captured));
  }
  return (value, captured) => value === meant(condition.equals, captured);
}

const CAPTURE = /^(host|path)\.([A-Za-z_][A-Za-z0-9_]*)$/;

/** Some servers end a segment or a path at these characters. A captured value with one of them is ambiguous. */
const UNCLEAR = /[/?#\p{Cc}]/u;

/**
 * Replaces `host.tenant` or `path.id` with the captured value. An ambiguous value becomes undefined, which no claim
 * equals. Every other wanted value stays.
 */
function meant(wanted: unknown, captured: Captures): unknown {
  const [, place, name] = (typeof wanted === 'string' && CAPTURE.exec(wanted)) || [];
  if (name === undefined) return wanted;
  const value = captured[place as keyof Captures][name];
  return value !== undefined && UNCLEAR.test(value) ? undefined : value;
}
