import * as Type from 'typebox';
import type { CredentialPlace, SchemeRow } from '../schemes/scheme.ts';
import { schemes } from '../schemes/table.ts';
import { oneOf, record } from '../words/schema.ts';

type Rows = (typeof schemes)[number];
/** The name of a credential scheme in the table. */
export type SchemeName = Rows['name'];
export type AuthScheme = 'bearer' | SchemeName;

export const schemeNames: readonly SchemeName[] = schemes.map(({ name }) => name);

/** All credential schemes: bearer tokens of OAuth 2.0, and the schemes of the table. */
const authSchemes: readonly AuthScheme[] = ['bearer', ...schemeNames];

const scheme = oneOf(authSchemes, undefined, authSchemes.join(' | '));

export const Auth = Type.Union(
  [
    scheme,
    record(
      { any_of: Type.Array(scheme, { minItems: 1, description: 'A request must use one of these schemes.' }) },
      undefined,
      'The route accepts several schemes. Each scheme has its own challenge.',
    ),
  ],
  {
    description: `Requests must use this scheme: bearer (the default), ${schemeNames.join(', ')}, or { any_of: [ … ] }.`,
  },
);

type BlockSchemas = { -readonly [Row in Rows as Row['name']]: Type.TOptional<Row['schema']> };

/** The schemes' blocks as keys of a route. `fromEntries` loses the type of each name. */
export const schemeBlocks = Object.fromEntries(
  schemes.map(({ name, schema }) => [name, Type.Optional(schema)]),
) as BlockSchemas;

/** The possible blocks of a route. */
export type SchemeBlocks = { readonly [Row in Rows as Row['name']]?: Type.Static<Row['schema']> | undefined };

/** A block of a route, with the table row of its scheme. */
export interface SchemeBlock {
  readonly name: SchemeName;
  readonly row: SchemeRow;
  readonly block: unknown;
}

/** The blocks in the order of the table. */
export function blocksOf(route: SchemeBlocks): readonly SchemeBlock[] {
  return schemes.flatMap((row) => {
    const block = route[row.name];
    return block === undefined ? [] : [{ name: row.name, row, block }];
  });
}

/** The places of a route's credentials, other than Authorization. */
export function credentialPlacesOf(route: SchemeBlocks): readonly CredentialPlace[] {
  return blocksOf(route).flatMap(({ row, block }): readonly CredentialPlace[] => row.places?.(block) ?? []);
}

/** The headers, in lower case, that may carry credentials of a route, other than Authorization. */
export function credentialHeadersOf(route: SchemeBlocks): readonly string[] {
  return credentialPlacesOf(route).flatMap((place) => (place.in === 'header' ? [place.name.toLowerCase()] : []));
}

/** The headers, in lower case, that the schemes of a route read, other than Authorization. */
export function fieldsOfSchemes(route: SchemeBlocks): readonly string[] {
  const fields = blocksOf(route).flatMap(({ row, block }): readonly string[] => row.fields?.(block) ?? []);
  return [...credentialHeadersOf(route), ...fields.map((name) => name.toLowerCase())];
}

/** The schemes of a route, in the order of their challenges. */
export function schemesOf(auth: Type.Static<typeof Auth> | undefined): readonly AuthScheme[] {
  if (auth === undefined) return ['bearer'];
  const named = typeof auth === 'string' ? [auth] : auth.any_of;
  return challengeOrder.filter((each) => named.includes(each));
}

/** True if a route accepts bearer tokens of any server. */
export function takesTokens(route: { readonly access?: string; readonly auth?: Type.Static<typeof Auth> }): boolean {
  return route.access !== 'public' && schemesOf(route.auth).includes('bearer');
}

/** Strongest first: many clients take the first scheme that they know (RFC 9110 §11.6.1 allows any choice). */
const challengeOrder: readonly AuthScheme[] = ['bearer', ...schemeNames.toReversed()];
