import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { JWK } from 'jose';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { buildSign, makeSigningKey, type Sign, type SigningAlgorithm } from '../../jwt/sign.ts';

/** Keys that exist only for tests. Their owner can sign every token, so a production proxy must not have them. */
export interface TestKeys {
  /** For the configuration of the proxy. */
  readonly publicKeys: readonly object[];
  /** Undefined: there is no key of these algorithms. */
  signer(algorithms: readonly string[]): Sign | undefined;
}

const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256', 'EdDSA'];

type PrivateKey = JWK & { readonly kid: string; readonly alg: SigningAlgorithm };

/** Reads the keys of this file, or creates the file. Throws if the file has something else. */
export async function testKeys(file: string): Promise<TestKeys> {
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ keys: await makeKeys() }), { mode: 0o600, flag: 'wx' });
  return keysIn(file);
}

/** Reads the keys that a compiled output knows. Throws if there are none, since new keys would be unknown there. */
export function knownTestKeys(file: string): TestKeys {
  if (!existsSync(file))
    throw new Error(`${file} does not exist: name the file of test keys with which the output was compiled`);
  return keysIn(file);
}

function keysIn(file: string): TestKeys {
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as { readonly keys: readonly PrivateKey[] };
  return {
    publicKeys: keys.map(publicPart),
    signer(algorithms) {
      const key = keys.find(({ alg }) => algorithms.includes(alg));
      return key && buildSign({ kid: key.kid, alg: key.alg, privateKey: pkcs8(key) });
    },
  };
}

/** The keys of each server that the proxy knows, with those for tests. A proxy cannot fetch keys and have own ones. */
export function withTestKeys(
  { authorization_servers }: GatewayConfig,
  keys: ReadonlyMap<string, readonly object[]>,
  { publicKeys }: TestKeys,
): ReadonlyMap<string, readonly object[]> {
  const known = Object.entries(authorization_servers).filter(
    ([name, { jwks_uri }]) => jwks_uri !== undefined || keys.has(name),
  );
  return new Map([...keys, ...known.map(([name]) => [name, [...(keys.get(name) ?? []), ...publicKeys]] as const)]);
}

function makeKeys(): Promise<readonly object[]> {
  return Promise.all(ALGORITHMS.map(makeKey));
}

async function makeKey(alg: SigningAlgorithm): Promise<object> {
  const { kid, privateKey } = await makeSigningKey(alg);
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
  return { ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' };
}

const PUBLIC = ['kty', 'kid', 'alg', 'use', 'crv', 'x', 'y', 'n', 'e'];

function publicPart(key: PrivateKey): object {
  return Object.fromEntries(Object.entries(key).filter(([name]) => PUBLIC.includes(name)));
}

function pkcs8(key: PrivateKey): Buffer {
  return createPrivateKey({ key: key as never, format: 'jwk' }).export({ format: 'der', type: 'pkcs8' });
}
