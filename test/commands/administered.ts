import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { gateway, run, shop } from '../authorization/running-service.ts';
import { launcher } from '../support/launcher.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A service of its own, with clients of its file. */
export const file = `
version: 1
issuer: http://localhost:8081
storage: sqlite:gatehouse.db
resources: [https://api.example.com]
scopes: { orders.read: Read your orders, orders.write: Change your orders, admin: All of it }
audit: { file: audit.jsonl }
clients:
  - { client_id: shop, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: shop-jwt, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }
  - { client_id: gateway, client_secret: ${gateway.secret}, grant_types: [], introspect: true }
`;

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The commands on a configuration file of their own, beside a service that runs on the same database. */
export function commands(directory: string, more = '') {
  const config = join(directory, 'authorization.yaml');
  writeFileSync(config, file + more);
  const gatehouse = (args: readonly string[], input = ''): Outcome => {
    const ended = spawnSync(process.execPath, [launcher, ...args, '--config', config], { input, encoding: 'utf8' });
    return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
  };
  return {
    gatehouse,
    json: (args: readonly string[], input = '') => {
      const ended = gatehouse([...args, '--json'], input);
      if (ended.status !== 0) throw new Error(ended.stderr);
      return JSON.parse(ended.stdout);
    },
  };
}

export async function beside(t: Test) {
  const directory = temporaryFolder(t);
  const service = await run(t, { directory });
  return { service, ...commands(directory) };
}
