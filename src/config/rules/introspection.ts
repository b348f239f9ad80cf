import { isKeyItself, readClientKey } from '../files/client-key.ts';
import { passesOver } from '../files/referred-file.ts';
import type { AuthorizationServerConfig, RouteFile } from '../schema/gateway.ts';
import { introspects } from '../schema/introspects.ts';
import type { Finding } from '../words/problem.ts';
import { endpointFaults } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

type Server = Member<AuthorizationServerConfig>;

/** Rules for tokens that only their authorization server can read (RFC 7662). */
export const introspectionChecks: Checks<GatewaySubject> = {
  introspection_endpoint: ({ servers, config }) =>
    servers.flatMap(({ at, value }) =>
      endpointFaults([...at, 'introspection_endpoint'], value.introspection_endpoint, config.development),
    ),
  'client for introspection': ({ servers }) => servers.flatMap(clientFaults),
  'client_key for introspection': ({ servers, around }) => servers.flatMap((server) => keyFaults(server, around)),
  'token prefixes of a route': prefixFaults,
};

/** RFC 7662 §2.1: a client must authenticate at an introspection endpoint. */
function clientFaults({ at, value }: Server): readonly Finding[] {
  const [proof, other] = byKey(value) ? keyFirst : secretFirst;
  if (value[other] !== undefined) return [unused([...at, other], other, value.introspection_endpoint_auth_method)];
  if (value.client_id !== undefined && value[proof] === undefined && introspects(value)) {
    return [
      {
        pointer: [...at, 'client_id'],
        message: `\`client_id\` needs \`${proof}\` beside it`,
        hint: 'the gateway authenticates with both',
        atKey: true,
      },
    ];
  }
  if (value[proof] !== undefined && value.client_id === undefined) {
    return [{ pointer: [...at, proof], message: `\`${proof}\` needs \`client_id\` beside it`, atKey: true }];
  }
  if (value.client_id !== undefined || !introspects(value)) return [];
  return [
    {
      pointer: [...at, 'verify'],
      message: `\`${value.verify}\` needs \`client_id\` and \`${proof}\``,
      hint: 'a client must authenticate at the introspection endpoint (RFC 7662 §2.1)',
    },
  ];
}

const secretFirst = ['client_secret', 'client_key'] as const;
const keyFirst = ['client_key', 'client_secret'] as const;

function byKey({ introspection_endpoint_auth_method }: AuthorizationServerConfig): boolean {
  return introspection_endpoint_auth_method === 'private_key_jwt';
}

function unused(pointer: Finding['pointer'], key: string, method: string): Finding {
  const hint =
    key === 'client_key'
      ? 'write `introspection_endpoint_auth_method: private_key_jwt`, or remove `client_key`'
      : 'remove it';
  return { pointer, message: `\`${key}\` is never used with \`${method}\``, hint, atKey: true };
}

function keyFaults({ at, value }: Server, around: GatewaySubject['around']): readonly Finding[] {
  if (value.client_key === undefined || !byKey(value)) return [];
  if (!isKeyItself(value.client_key) && passesOver(value.client_key, around, 'secrets')) return [];
  const read = readClientKey(value.client_key, around);
  return read.ok ? [] : [{ pointer: [...at, 'client_key'], message: read.message, hint: read.hint }];
}

/** An opaque token does not name its server, so a prefix must. */
function prefixFaults({ routes, servers }: GatewaySubject): readonly Finding[] {
  const told = new Set<string>();
  return routes.flatMap(({ value }) =>
    pairs(serversOf(value, servers)).flatMap(([one, other]): Finding[] => {
      const key = `${one.name} ${other.name}`;
      if (told.has(key) || distinct(one.value.token_prefix, other.value.token_prefix)) return [];
      told.add(key);
      return [prefixFault(one, other)];
    }),
  );
}

function prefixFault(one: Server, other: Server): Finding {
  const lacking = [other, one].find(({ value }) => value.token_prefix === undefined);
  if (lacking === undefined) {
    return {
      pointer: [...other.at, 'token_prefix'],
      message: `tokens with this prefix could also belong to \`${one.name}\``,
      hint: 'no prefix may begin with another prefix',
    };
  }
  const message = `an opaque token could belong to \`${one.name}\` or \`${other.name}\`, and a route accepts tokens of both servers`;
  return {
    pointer: lacking.at,
    message,
    hint: 'give each server a `token_prefix`, or name only one server in `authorization_servers` of the route',
  };
}

function serversOf(route: RouteFile, servers: readonly Server[]): readonly Server[] {
  if (route.access === 'public') return [];
  return servers.filter(
    ({ name, value }) =>
      (introspects(value) || value.verify === 'store') && (route.authorization_servers?.includes(name) ?? true),
  );
}

function distinct(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && !one.startsWith(other) && !other.startsWith(one);
}

function pairs<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
}
