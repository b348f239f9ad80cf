import { AuthorizationSchema } from '../schema/authorization.ts';
import { GatewaySchema } from '../schema/gateway.ts';

export type FileKind = 'gateway' | 'authorization';

/** The kind of a file, by the top-level keys that only one of the two files has; undefined if there are none. */
export function detectKind(text: string): FileKind | undefined {
  const keys = new Set([...text.matchAll(/^["']?([A-Za-z_]+)["']?\s*:/gm)].map(([, key]) => key as string));
  const gateway = countOwn(keys, GatewaySchema.properties, AuthorizationSchema.properties);
  const authorization = countOwn(keys, AuthorizationSchema.properties, GatewaySchema.properties);
  if (gateway === authorization) return undefined;
  return gateway > authorization ? 'gateway' : 'authorization';
}

/** The only file that has this top-level key. */
export function ownerOf(key: string): FileKind | undefined {
  const isGateway = Object.hasOwn(GatewaySchema.properties, key);
  if (isGateway === Object.hasOwn(AuthorizationSchema.properties, key)) return undefined;
  return isGateway ? 'gateway' : 'authorization';
}

function countOwn(keys: ReadonlySet<string>, own: object, other: object): number {
  return Object.keys(own).filter((key) => keys.has(key) && !Object.hasOwn(other, key)).length;
}
