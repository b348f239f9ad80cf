import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the fixed contenders are. */
export const shared = join(root, '../shared/bench/');

export interface Place {
  /** For configuration files, logs and pid files; readable for the users that servers drop to. */
  readonly folder: string;
  /** Inside the repository, so that the contenders find its packages. */
  readonly scripts: string;
  /** By kind of signature. */
  readonly tokens: { readonly HS256: string; readonly ES256: string };
  remove(): void;
}

/** As in apache.conf. */
const secret = { kid: 'hs-1', text: '0123456789abcdef0123456789abcdef' };
export const issuers = { HS256: 'https://hs.example.com', ES256: 'https://es.example.com' } as const;

export async function prepare(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  chmodSync(folder, 0o755);
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const scripts = mkdtempSync(join(cache, 'bench-'));
  for (const name of ['floor.mjs', 'http-proxy.mjs']) writeFileSync(join(scripts, name), read(name));
  for (const name of ['nginx.conf', 'upstream.conf', 'apache.conf'])
    writeFileSync(join(folder, name), read(name).replaceAll('DIR', folder));
  const tokens = await makeTokens(folder);
  writeFileSync(join(folder, 'gateway.yaml'), gatewayYaml);
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(scripts, { recursive: true, force: true });
  };
  return { folder, scripts, tokens, remove };
}

function read(name: string): string {
  return readFileSync(shared + name, 'utf8');
}

/** So that two reports can be told to be about the same contenders. */
export function fingerprints(): Record<string, string> {
  const names = ['floor.mjs', 'http-proxy.mjs', 'nginx.conf', 'upstream.conf', 'apache.conf'];
  return Object.fromEntries(names.map((name) => [name, createHash('sha256').update(read(name)).digest('hex')]));
}

async function makeTokens(folder: string): Promise<Place['tokens']> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'es-1', alg: 'ES256', use: 'sig' };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [jwk] }));
  const HS256 = await claims(issuers.HS256)
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: secret.kid })
    .sign(Buffer.from(secret.text));
  const ES256 = await claims(issuers.ES256)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'es-1' })
    .sign(privateKey);
  return { HS256, ES256 };
}

function claims(issuer: string): SignJWT {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: issuer,
    aud: 'https://api.example.com',
    sub: 'alice',
    client_id: 'shop',
    scope: 'orders.read',
    jti: '1',
    iat: now,
    exp: now + 86_400,
  });
}

export const port = 9111;

const gatewayYaml = `
version: 1
listen: 127.0.0.1:${port}
log: { level: warn, format: json }
authorization_servers:
  hs: { issuer: ${issuers.HS256}, audience: https://api.example.com, algorithms: [HS256], secret: ${secret.text} }
  es: { issuer: ${issuers.ES256}, audience: https://api.example.com, algorithms: [ES256], jwks_file: keys.json }
upstreams:
  api: { url: http://127.0.0.1:9000 }
defaults: { upstream: api }
routes:
  - { id: open, match: { path: "/open/{rest*}" }, access: public }
  - { id: hs, match: { path: "/hs/{rest*}" }, scope: orders.read, authorization_servers: [hs] }
  - { id: es, match: { path: "/es/{rest*}" }, scope: orders.read, authorization_servers: [es] }
`;
