import { AuthorizationSchema } from './authorization.ts';
import { GatewaySchema } from './gateway.ts';
import type { Schema } from './input-schema.ts';

let known: ReadonlySet<string> | undefined;

/** True if either file has a key of this name. Names that an author chooses do not count. */
export function isKnownKey(name: string): boolean {
  known ??= new Set([GatewaySchema, AuthorizationSchema].flatMap((schema) => keysIn(schema as unknown as Schema)));
  return known.has(name);
}

function keysIn({ properties = {}, additionalProperties, items, anyOf = [] }: Schema): string[] {
  const members = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const below = [...Object.values(properties), ...members, ...(items === undefined ? [] : [items]), ...anyOf];
  return [...Object.keys(properties), ...below.flatMap(keysIn)];
}
