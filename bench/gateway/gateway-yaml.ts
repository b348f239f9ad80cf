import { REALM } from '../http-auth-place.ts';
import type { Engine, Listener } from './part.ts';
import { type Algorithm, audience, secret } from './tokens.ts';

export interface GatewayOptions {
  readonly port: number;
  /** Undefined: the file has no such key, and the gateway's default applies. */
  readonly engine: Engine | undefined;
  readonly listener: Listener | undefined;
  readonly issuers: Readonly<Record<Algorithm, string>>;
  /** Tokens whose facts are cached; undefined means the gateway's default. */
  readonly remembered: number | undefined;
  /** The port of the admin listener; undefined means none. */
  readonly admin: number | undefined;
  /** The ports where Envoy asks; undefined means none. */
  readonly asked: AskedPorts | undefined;
}

export interface AskedPorts {
  readonly http: number;
  readonly grpc: number;
}

/** gateway.yaml with a route for each kind of credential. */
export function gatewayYaml({ port, engine, listener, issuers, remembered, admin, asked }: GatewayOptions): string {
  const cache = `cache: { ${remembered === undefined ? '' : `size: ${remembered}, `}ttl: 1h }`;
  const client = 'client_id: bench, client_secret: bench-secret-of-32-bytes-or-so-ok';
  return `version: 1
listen: 127.0.0.1:${port}
${admin === undefined ? '' : `admin: 127.0.0.1:${admin}\n`}${asked === undefined ? '' : askedYaml(asked)}${listener === undefined ? '' : `listener: ${listener}\n`}log: { level: warn, format: json }
authorization_servers:
  hs: { issuer: "${issuers.HS256}", audience: "${audience}", algorithms: [HS256], secret: "${secret.text}", ${cache} }
  es: { issuer: "${issuers.ES256}", audience: "${audience}", algorithms: [ES256], jwks_file: keys.json, events: none, ${cache} }
  opaque:
    { issuer: "${issuers.ES256}/opaque", audience: "${audience}", verify: introspection, events: none, ${cache},
      introspection_endpoint: "${issuers.ES256}/introspect", ${client} }
upstreams:
  api: { url: "http://127.0.0.1:9000"${engine === undefined ? '' : `, engine: ${engine}`} }
defaults: { upstream: api }
routes:
  - { id: open, match: { path: "/open/{rest*}" }, access: public }
  - { id: hs, match: { path: "/hs/{rest*}" }, scope: orders.read, authorization_servers: [hs] }
  - { id: es, match: { path: "/es/{rest*}" }, scope: orders.read, authorization_servers: [es] }
  - { id: opaque, match: { path: "/opaque/{rest*}" }, scope: orders.read, authorization_servers: [opaque] }
  - id: tools
    match: { path: "/tools/{rest*}" }
    authorization_servers: [es]
    mcp: { mirror: require, scope: { "*": orders.read, tools/call: orders.read, "tools/call delete_*": admin }, deny: ["tools/call drop_*"] }
  - id: form
    match: { path: "/form/{rest*}" }
    scope: orders.read
    authorization_servers: [es]
    bearer_methods_supported: [header, body]
  - id: digest
    match: { path: "/digest/{rest*}" }
    auth: digest
    digest: { realm: ${REALM}, users: users.htdigest, algorithms: [SHA-256], scopes: { alice: orders.read } }
    scope: orders.read
`;
}

function askedYaml({ http, grpc }: AskedPorts): string {
  const decision = `decision: { listen: 127.0.0.1:${http}, grpc: 127.0.0.1:${grpc}, max_age: 0s }`;
  return `${decision}\ntrusted_proxies: [127.0.0.1]\n`;
}
