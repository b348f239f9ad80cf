import { clients, lifetimes, redirectUri, scope, subject } from './grants.ts';

/** Also opens the store that makes codes. It is the same for every database. */
export const encryptionKey = Buffer.alloc(32, 7).toString('base64');

/** No user logs in, so the hashed password does not matter. */
const password = '$argon2id$v=19$m=19456,t=2,p=1$YSBzYWx0LCAxNiBieXRlcw$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** `authorization.yaml`, with the default log: one line for each request. */
export function authorizationYaml({ port, storage }: { readonly port: number; readonly storage: string }): string {
  const { shop, gateway, web } = clients;
  return `
version: 1
issuer: http://127.0.0.1:${port}
listen: 127.0.0.1:${port}
storage: ${storage}
encryption_keys: [${encryptionKey}]
resources: [https://api.example.com]
scopes: { ${scope}: Read your orders, orders.write: Change your orders }
tokens: { access: { ttl: ${lifetimes.accessToken}s }, refresh: { ttl: ${lifetimes.refreshToken}s }, max_a_minute: 1000000000 }
log: { level: info, format: json }
clients:
  - { client_id: ${shop.id}, client_secret: ${shop.secret}, scope: ${scope}, grant_types: [client_credentials] }
  - { client_id: ${gateway.id}, client_secret: ${gateway.secret}, grant_types: [], introspect: true }
  - { client_id: ${web.id}, client_secret: ${web.secret}, scope: ${scope}, grant_types: [authorization_code, refresh_token], redirect_uris: ['${redirectUri}'] }
users:
  - { username: ${subject}, password_argon2: '${password}' }
`;
}
