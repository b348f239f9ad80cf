import { AuthorizationSchema } from '../schema/authorization.ts';
import { GatewaySchema } from '../schema/gateway.ts';
import { flowKeys } from './flow-keys.ts';

export type FileKind = 'gateway' | 'authorization';

/**
 * The kind of a file, by the top-level keys that only one of the two files has; undefined if there are none. It does not
 * parse the file, because a file with mistakes has a kind too.
 */
export function detectKind(text: string): FileKind | undefined {
  return kindBy(flowKeys(text)) ?? kindBy(blockKeys(text));
}

/** The keys at the beginning of a line. */
function blockKeys(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^["']?([A-Za-z_]+)["']?\s*:/gm)].map(([, key]) => key as string));
}

function kindBy(keys: ReadonlySet<string>): FileKind | undefined {
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
