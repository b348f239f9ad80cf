import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-rules-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

/** A gateway file with these routes, which begin at line 6. Returns its name. */
export function rules(name: string, routes: readonly string[], more = ''): string {
  const text = `version: 1
resource: https://api.example.com
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9", credentials: { basic: { username: me, password: hidden-word } } } }
defaults: { upstream: api }
routes:
${routes.map((route) => `  - { ${route} }\n`).join('')}${more}`;
  return written(name, text);
}

export function written(name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}
