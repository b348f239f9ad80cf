import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ports {
  readonly gateway: number;
  readonly authorization: number;
  readonly api: number;
  readonly client: number;
  /** The admin port of the gateway; `health` is its health port. */
  readonly admin: number;
  readonly health: number;
}

export interface DemoFiles {
  readonly directory: string;
  readonly gateway: string;
  readonly authorization: string;
}

/** The demo's secrets are valid only in the demo. */
export const shop = { id: 'shop', secret: 'demo-secret-of-the-shop' };

/** A page in a browser cannot keep a secret. */
export const demoPage = { id: 'page' };

/** The client of `gatehouse login`. A program on a user's machine cannot keep a secret either. */
export const terminal = { id: 'cli' };

/** The user who can log in. */
export const user = {
  name: 'alice',
  fullName: 'Alice Liddell',
  password: 'wonderland',
  hash: '$argon2id$v=19$m=19456,t=2,p=1$fW2or27Tb+pC0kHNW5j/iQ$zrPHpT+tVpy1RzcITxgkUdKX34zSV+8/60OKOg4iYWE',
};

/** The scope that the demo's clients may request. */
export const everyScope = 'orders.read orders.write';

/** The scope of a client that signs users in. */
export const signInScope = `openid profile ${everyScope}`;

/** The URLs of the parts, by their ports. */
export function addresses({ gateway, authorization, api, client, admin, health }: Ports) {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    api: at(gateway),
    issuer: at(authorization),
    token: `${at(authorization)}/oauth2/token`,
    revocation: `${at(authorization)}/oauth2/revoke`,
    upstream: at(api),
    page: at(client),
    admin: at(admin),
    health: at(health),
    redirectUri: `${at(client)}/callback`,
    afterLogout: `${at(client)}/signed-out`,
  };
}

/** Writes both configuration files into a separate folder, where the user can read them while the demo runs. */
export function writeDemoFiles(ports: Ports): DemoFiles {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
  const files = {
    directory,
    gateway: join(directory, 'gateway.yaml'),
    authorization: join(directory, 'authorization.yaml'),
  };
  writeFileSync(join(directory, 'ticket.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  writeFileSync(files.gateway, gatewayYaml(ports), { mode: 0o600 });
  writeFileSync(files.authorization, authorizationYaml(ports), { mode: 0o600 });
  return files;
}

function gatewayYaml(ports: Ports): string {
  const { api, issuer, upstream, page } = addresses(ports);
  return `version: 1
listen: 127.0.0.1:${ports.gateway}
admin: 127.0.0.1:${ports.admin}
health: 127.0.0.1:${ports.health}
ticket_keys: ["\${file:ticket.key}"]
realm: demo
cors: { origins: ["${page}"] }
scopes_supported: [orders.read, orders.write, orders.admin]
authorization_servers:
  demo:
    issuer: ${issuer}
    client_id: gateway
    client_secret: demo-secret-of-the-gateway
    audience: ${api}
upstreams:
  orders: { url: "${upstream}" }
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
  - id: orders-clear
    match: { methods: [DELETE], path: /orders }
    scope: orders.admin
`;
}

function authorizationYaml(ports: Ports): string {
  const { api, issuer, redirectUri, afterLogout } = addresses(ports);
  return `version: 1
issuer: ${issuer}
listen: 127.0.0.1:${ports.authorization}
storage: sqlite:demo.db
openid: { enabled: true }
site_name: Gatehouse demo
resources: ["${api}"]
scopes: { orders.read: Read your orders, orders.write: Change your orders, orders.admin: Delete all orders }
clients:
  - client_id: ${shop.id}
    client_secret: ${shop.secret}
    client_name: Corner Shop
    scope: ${everyScope}
    grant_types: [client_credentials]
  - client_id: ${demoPage.id}
    client_name: Order Page
    redirect_uris: ["${redirectUri}"]
    post_logout_redirect_uris: ["${afterLogout}"]
    scope: ${signInScope}
    grant_types: [authorization_code]
  - client_id: ${terminal.id}
    client_name: The command gatehouse login
    redirect_uris: ["http://127.0.0.1/callback"]
    scope: ${signInScope}
    grant_types: [authorization_code]
  - client_id: back-office
    client_secret: demo-secret-of-the-back-office
    client_name: Back Office
    scope: orders.admin
    grant_types: [client_credentials]
  - { client_id: gateway, client_secret: demo-secret-of-the-gateway, grant_types: [], introspect: true, events: true }
users:
  - { username: ${user.name}, name: ${user.fullName}, password_argon2: "${user.hash}" }
`;
}
