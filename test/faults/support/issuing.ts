import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { basic } from '../../authorization/running-service.ts';
import { type ServiceProcess, spawnService } from '../../authorization/service-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { loopProbed } from './loop.ts';

/** `gatehouse authorization` as a separate process, whose event loop reports how late it was. */
export interface Issuing {
  readonly process: ServiceProcess;
  readonly url: string;
  readonly port: number;
  readonly adminUrl: string;
  /** The block of a gateway's configuration, under the name `main`. */
  readonly server: { readonly main: Readonly<Record<string, unknown>> };
  /** Opaque tokens and JWTs. */
  token(kind: 'opaque' | 'jwt'): Promise<string>;
}

const secret = 'cs_shop-secret-of-32-bytes-or-so';
const gatewaySecret = 'cs_gateway-secret-of-32-bytes';
const audience = 'https://api.example.com';

const yaml = (port: number, admin: number, extra: string) => `version: 1
issuer: http://127.0.0.1:${port}
listen: 127.0.0.1:${port}
admin: 127.0.0.1:${admin}
storage: sqlite:gatehouse.db
resources: [${audience}]
scopes: { orders.read: Read your orders }
tokens: { max_a_minute: 1000000 }
login: { max_failures: 1000000, window: 1m }
log: { level: warn, format: json }
clients:
  - { client_id: shop, client_secret: ${secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: shop-jwt, client_secret: ${secret}, scope: orders.read, grant_types: [client_credentials], access_token_format: jwt }
  - { client_id: app, scope: orders.read, grant_types: [authorization_code], redirect_uris: ['http://127.0.0.1/callback'] }
  - { client_id: legacy, scope: orders.read, grant_types: [password] }
  - { client_id: gateway, client_secret: ${gatewaySecret}, grant_types: [], introspect: true }
${extra}`;

export async function issuing(t: Test, extra = ''): Promise<Issuing> {
  const directory = temporaryFolder(t);
  const [port, admin] = [await freePort(), await freePort()];
  const file = join(directory, 'authorization.yaml');
  writeFileSync(file, yaml(port, admin, extra));
  const wrapper = ['env', ...Object.entries(loopProbed).map(([name, value]) => `${name}=${value}`)];
  const process = spawnService(t, file, { wrapper });
  const url = `http://127.0.0.1:${port}`;
  await isReady(`http://127.0.0.1:${admin}`, process);
  return {
    process,
    url,
    port,
    adminUrl: `http://127.0.0.1:${admin}`,
    server: {
      main: { issuer: url, audience, client_id: 'gateway', client_secret: gatewaySecret, events: 'none' },
    },
    async token(kind) {
      const response = await fetch(`${url}/oauth2/token`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...basic({ id: kind === 'jwt' ? 'shop-jwt' : 'shop', secret }),
        },
        body: 'grant_type=client_credentials',
      });
      const { access_token } = (await response.json()) as { access_token?: string };
      if (access_token === undefined) throw new Error(`no token: ${response.status}`);
      return access_token;
    },
  };
}

async function isReady(adminUrl: string, { stdout, stderr }: ServiceProcess): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const response = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
    if (response?.status === 200) return;
    await pause(50);
  }
  throw new Error(`the service is not ready: ${stdout()}${stderr()}`);
}
