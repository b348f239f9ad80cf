import { resolve } from 'node:path';
import { readKeySetFile } from '../../config/files/key-set-file.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { isObject, parseJsonObject } from '../../jwt/json.ts';
import { importKeys } from '../../jwt/keys.ts';

/** A server's name → the keys of its `jwks_file` that the gateway would use. A file that cannot be read has none. */
export async function keysOfFiles(
  { authorization_servers }: GatewayConfig,
  directory: string,
): Promise<ReadonlyMap<string, readonly object[]>> {
  const found = new Map<string, readonly object[]>();
  for (const [name, { jwks_file, algorithms }] of Object.entries(authorization_servers))
    if (jwks_file !== undefined) found.set(name, await usableKeys(resolve(directory, jwks_file), algorithms));
  return found;
}

type Algorithms = GatewayConfig['authorization_servers'][string]['algorithms'];

async function usableKeys(file: string, algorithms: Algorithms): Promise<readonly object[]> {
  const read = readKeySetFile(file);
  const set = read.ok ? parseJsonObject(read.bytes) : undefined;
  if (set === undefined || !Array.isArray(set.keys)) return [];
  const keys: object[] = [];
  // Each key alone shows which one is refused; the whole set shows which names occur twice.
  const whole = await importKeys(set, algorithms);
  const accepted = new Set(whole?.keys.map(({ id }) => id));
  for (const jwk of set.keys.filter(isObject)) {
    const alone = await importKeys({ keys: [jwk] }, algorithms);
    if (alone?.keys.some(({ id }) => accepted.has(id))) keys.push(publicMembers(jwk));
  }
  return keys;
}

/** The output needs no certificates and no hints. */
const MEMBERS = ['kty', 'kid', 'alg', 'use', 'crv', 'x', 'y', 'n', 'e'];

function publicMembers(jwk: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(MEMBERS.filter((name) => Object.hasOwn(jwk, name)).map((name) => [name, jwk[name]]));
}
