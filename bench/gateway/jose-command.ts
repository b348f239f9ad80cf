import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../children.ts';
import { measured, type Place, UPSTREAM } from './place.ts';
import { type Algorithm, audience, secret } from './tokens.ts';

/** What the server reads. */
export interface Task {
  readonly port: number;
  /** The URL. */
  readonly upstream: string;
  readonly audience: string;
  readonly tokens: readonly { readonly algorithm: Algorithm; readonly jwk: object; readonly issuer: string }[];
}

const server = fileURLToPath(new URL('jose-server.ts', import.meta.url));

/** A server that verifies each token with jose and forwards the request, under the same load as a gateway. */
export function joseServer({ folder, keys, issuers }: Place, port: number): Command {
  const [es = {}] = keys.keys;
  const hs = { kty: 'oct', k: Buffer.from(secret.text).toString('base64url') };
  const tokens = [
    { algorithm: 'ES256', jwk: es, issuer: issuers.ES256 },
    { algorithm: 'HS256', jwk: hs, issuer: issuers.HS256 },
  ] as const;
  const task: Task = { port, upstream: `http://127.0.0.1:${UPSTREAM}`, audience, tokens };
  const file = join(folder, 'jose-server.json');
  writeFileSync(file, JSON.stringify(task));
  return measured({ file: process.execPath, args: [server, file], ports: [port] });
}
