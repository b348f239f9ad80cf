import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isLoopback } from '../words/host.ts';
import { type Address, address, list, record, text } from '../words/schema.ts';
import { schemeBlocks } from './http-schemes.ts';
import { certificate } from './listener.ts';

/** Without a block for it, everyone who reaches a loopback address may use the console. */
const LOOPBACK = 'loopback';

const ByServer = record(
  {
    authorization_server: text(
      undefined,
      'Operators log in at this authorization server, a name in `authorization_servers`.',
    ),
    scope: text(
      'gatehouse.admin',
      'The gateway requests these space-delimited scopes, and the token must have all of them. If `openid` is one of these scopes, the gateway also verifies an ID token.',
    ),
    client_id: Type.Optional(
      text(
        undefined,
        'The console uses this client id at the authorization server. Register `url`/console/callback as a redirect address of this client. The default is the `client_id` of this server in `authorization_servers`.',
      ),
    ),
    client_secret: Type.Optional(
      text(undefined, 'This is the secret of `client_id`. Use a variable. Without a secret, the client is public.'),
    ),
    resource: Type.Optional(
      text(
        undefined,
        'The gateway requests a token for this resource (RFC 8707). By default, the authorization server chooses the resource.',
      ),
    ),
    users: Type.Optional(
      list(
        text(),
        undefined,
        'Only these users (`sub`) may log in. By default, each user with the `scope` may log in.',
      ),
    ),
  },
  undefined,
  'Operators log in with a browser at this authorization server, a name in `authorization_servers`.',
);

const ByBasic = record(
  {
    basic: record(
      { users: schemeBlocks.basic.properties.users },
      undefined,
      'These users may use the listener. The block means the same as on a route.',
    ),
  },
  undefined,
  'Operators send a username and a password (RFC 7617).',
);

export type ServerAccess = Static<typeof ByServer>;
export type BasicAccess = Static<typeof ByBasic>;
export type AdminAccess = typeof LOOPBACK | ServerAccess | BasicAccess;

const Tls = record(certificate, undefined, 'The listener speaks TLS 1.2 or newer, without client certificates.');

type AdminTls = Static<typeof Tls>;

const ReplicaTls = record(
  {
    ca: text(
      undefined,
      "This PEM file holds certificate authorities. This gateway trusts only these authorities for the other gateway, and not the system's authorities. It reads the file at each connection.",
    ),
  },
  undefined,
  'These settings apply to TLS connections to the other gateway.',
);

const Replica = record(
  {
    url: text(undefined, 'The `admin` listener of the other gateway has this origin, such as https://10.0.0.7:9901.'),
    username: Type.Optional(
      text(undefined, 'The console sends this username to the other gateway with Basic authentication.'),
    ),
    password: Type.Optional(text(undefined, 'This is the password for `username`. Use a variable.')),
    tls: Type.Optional(ReplicaTls),
  },
  undefined,
  'The console also shows the decisions of this other gateway.',
);

export type ReplicaConfig = Static<typeof Replica>;

/** `console`: absent in a file that leaves the choice to us. */
interface AdminParts {
  readonly listen: Address;
  readonly tls?: AdminTls;
  readonly url?: string;
  readonly console?: boolean;
  readonly replicas?: readonly ReplicaConfig[];
  readonly access: AdminAccess;
}

export type AdminListen = Address | AdminParts;

/** The loaded form. */
export interface AdminConfig extends Address {
  readonly tls?: AdminTls;
  readonly url?: string;
  readonly console: boolean;
  readonly replicas?: readonly ReplicaConfig[];
  readonly access: AdminAccess;
}

/** The address for operators, or a map with the address and the rules for operators. */
export function adminListen(description: string) {
  const parts = record({
    listen: address(undefined, 'Operators connect to this address.'),
    tls: Type.Optional(Tls),
    url: Type.Optional(
      text(
        undefined,
        'Browsers reach this listener at this origin, such as https://ops.example.com. If `admin.listen` is on loopback, the default is the origin of `admin.listen`.',
      ),
    ),
    console: Type.Optional(
      Type.Boolean({
        description:
          'true: the listener serves the console. On a loopback address, the default is true. On any other address, the default is false.',
      }),
    ),
    replicas: Type.Optional(
      list(
        Replica,
        undefined,
        'The list of decisions in the console also has the decisions of these other gateways. All other pages of the console show only the gateway of this file.',
      ),
    ),
    access: Type.Unsafe<AdminAccess>({
      anyOf: [{ type: 'string', enum: [LOOPBACK] }, ByServer, ByBasic],
      default: LOOPBACK,
      description:
        'loopback: everyone who can connect to the listener may use it. With any other value, operators must log in for every path, such as /decisions, /routes, /why and /reload. Only /livez, /readyz and /metrics need no login.',
    }),
  });
  return Type.Unsafe<AdminListen>({ anyOf: [address(), parts], description });
}

/** Converts both forms to one. */
export function adminParts(admin: AdminListen): AdminConfig {
  const { listen, ...parts }: AdminParts = 'listen' in admin ? admin : { listen: admin, access: LOOPBACK };
  return Object.freeze({ ...listen, ...parts, console: parts.console ?? isLoopback(listen.host) });
}

export function isByServer(access: AdminAccess): access is ServerAccess {
  return typeof access === 'object' && 'authorization_server' in access;
}

export function isByBasic(access: AdminAccess): access is BasicAccess {
  return typeof access === 'object' && !isByServer(access);
}

type OperatorsBlock = Static<(typeof schemeBlocks)[keyof BasicAccess]>;

/** The block of a route that accepts the same users. */
export function operatorsBlock({ basic: { users } }: BasicAccess): OperatorsBlock {
  return Object.freeze({ users, realm: REALM, charset: 'UTF-8', allow_insecure: false, scopes: {} });
}

/** Browsers show it beside the fields for the password. */
const REALM = 'gateway console';
