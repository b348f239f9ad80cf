import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ports {
  readonly gateway: number;
  readonly authorization: number;
  readonly api: number;
}

export interface DemoFiles {
  readonly directory: string;
  readonly gateway: string;
  readonly authorization: string;
}

/** The demo's secrets open nothing but the demo. */
export const shop = { id: 'shop', secret: 'demo-secret-of-the-shop' };

/** Writes both configuration files into a folder of their own, where they can be read while the demo runs. */
export function writeDemoFiles(ports: Ports): DemoFiles {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
  const files = {
    directory,
    gateway: join(directory, 'gateway.yaml'),
    authorization: join(directory, 'authorization.yaml'),
  };
  writeFileSync(files.gateway, gatewayYaml(ports), { mode: 0o600 });
  writeFileSync(files.authorization, authorizationYaml(ports), { mode: 0o600 });
  return files;
}

function gatewayYaml({ gateway, authorization, api }: Ports): string {
  return `version: 1
listen: 127.0.0.1:${gateway}
realm: demo
scopes_supported: [orders.read, orders.write]
authorization_servers:
  demo:
    issuer: http://127.0.0.1:${authorization}
    client_id: gateway
    client_secret: demo-secret-of-the-gateway
    audience: http://127.0.0.1:${gateway}
upstreams:
  orders: { url: "http://127.0.0.1:${api}" }
defaults: { upstream: orders }
routes:
  - id: health
    match: { methods: [GET], path: /health }
    access: public
  - id: orders-read
    match: { methods: [GET], path: "/orders/{rest*}" }
    scope: orders.read
  - id: orders-delete
    match: { methods: [DELETE], path: "/orders/{id}" }
    scope: orders.write
`;
}

function authorizationYaml({ gateway, authorization }: Ports): string {
  return `version: 1
issuer: http://127.0.0.1:${authorization}
listen: 127.0.0.1:${authorization}
storage: sqlite:demo.db
resources: ["http://127.0.0.1:${gateway}"]
scopes: { orders.read: Read your orders, orders.write: Change your orders }
clients:
  - client_id: ${shop.id}
    client_secret: ${shop.secret}
    client_name: Corner Shop
    scope: orders.read orders.write
    grant_types: [client_credentials]
  - { client_id: gateway, client_secret: demo-secret-of-the-gateway, grant_types: [], introspect: true }
`;
}
