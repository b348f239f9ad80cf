import { blocksOf, type SchemeBlocks, type SchemeName, schemesOf } from '../../config/schema/http-schemes.ts';
import type { CredentialPlace } from '../../config/schemes/scheme.ts';
import type { GatewayScheme } from './scheme.ts';
import { schemes } from './table.ts';

/** A scheme that a route accepts, with its block. */
export interface TakenScheme {
  readonly name: string;
  readonly row: GatewayScheme;
  readonly block: unknown;
  /** The places of its credentials. Undefined: in Authorization. */
  readonly places: readonly CredentialPlace[] | undefined;
}

type Auth = Parameters<typeof schemesOf>[0];

/** The schemes that a route accepts, in the order of their challenges, without bearer tokens. */
export function schemesTaken(route: SchemeBlocks & { readonly auth?: Auth }): readonly TakenScheme[] {
  const blocks = blocksOf(route);
  return schemesOf(route.auth).flatMap((scheme) => {
    const found = blocks.find(({ name }) => name === scheme);
    if (found === undefined) return [];
    const { name, row, block } = found;
    return [{ name, row: schemes[name], block, places: row.places?.(block) }];
  });
}

/** Undefined for bearer tokens. */
export function schemeNamed(name: string): GatewayScheme | undefined {
  return isScheme(name) ? schemes[name] : undefined;
}

function isScheme(name: string): name is SchemeName {
  return Object.hasOwn(schemes, name);
}
