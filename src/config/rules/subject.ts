import type { AuthorizationFile, ClientFile, UserFile } from '../schema/authorization.ts';
import type { AuthorizationServerConfig, GatewayFile, RouteFile, UpstreamFile } from '../schema/gateway.ts';
import type { EventReceiverConfig } from '../schema/security-events.ts';
import { impliersIn } from '../words/implied-scopes.ts';
import type { Pointer } from '../words/problem.ts';
import { type Member, membersOf, type Surroundings } from './checks.ts';
import type { TokenRules } from './weaker.ts';

/** The input for the checks of gateway.yaml: everything in the file that the schema accepts. */
export interface GatewaySubject {
  readonly config: GatewayFile;
  readonly routes: readonly Member<RouteFile>[];
  readonly servers: readonly Member<AuthorizationServerConfig>[];
  readonly upstreams: readonly Member<UpstreamFile>[];
  /** All names that may be referred to, even names of faulty entries. */
  readonly known: { readonly servers: readonly string[]; readonly upstreams: readonly string[] };
  readonly tokenRules: TokenRules;
  readonly around: Surroundings;
}

export function gatewaySubject(config: GatewayFile, left: readonly Pointer[], around: Surroundings): GatewaySubject {
  const namesOf = (key: 'authorization_servers' | 'upstreams') => [
    ...Object.keys(config[key]),
    ...left.flatMap(([top, name]) => (top === key && name !== undefined ? [String(name)] : [])),
  ];
  return {
    config,
    routes: membersOf('routes', config.routes),
    servers: membersOf('authorization_servers', config.authorization_servers),
    upstreams: membersOf('upstreams', config.upstreams),
    known: { servers: namesOf('authorization_servers'), upstreams: namesOf('upstreams') },
    tokenRules: { servers: config.authorization_servers, impliersOf: impliersIn(config.scopes) },
    around,
  };
}

/** The input for the checks of authorization.yaml: everything in the file that the schema accepts. */
export interface AuthorizationSubject {
  readonly config: AuthorizationFile;
  readonly clients: readonly Member<ClientFile>[];
  readonly users: readonly Member<UserFile>[];
  readonly receivers: readonly Member<EventReceiverConfig>[];
  readonly around: Surroundings;
}

export function authorizationSubject(config: AuthorizationFile, around: Surroundings): AuthorizationSubject {
  return {
    config,
    clients: membersOf('clients', config.clients),
    users: membersOf('users', config.users),
    receivers: membersOf('receivers', config.security_events.receivers).map((member) => ({
      ...member,
      at: ['security_events', ...member.at],
    })),
    around,
  };
}
