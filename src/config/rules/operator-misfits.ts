import { type AdminConfig, isByServer, type ServerAccess } from '../schema/admin.ts';
import type { AuthorizationConfig, ClientConfig } from '../schema/authorization.ts';
import { didYouMean } from '../words/closest.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeWords } from '../words/scope-words.ts';

/** The rules for operators in the gateway's file, and the file of the service where they log in. */
interface Operators {
  readonly admin: AdminConfig | undefined;
  /** The name of the service in the gateway's file, and the client of its block. */
  readonly server: { readonly name: string; readonly value: { readonly client_id?: string | undefined } };
  readonly service: AuthorizationConfig;
  readonly cite: (pointer: Pointer) => string;
}

const AT = ['admin', 'access'];

/** Reports where operators could not log in at the service, or where users who are no operators could. */
export function operatorsAtService({ admin, server, service, cite }: Operators): readonly Finding[] {
  if (admin === undefined || !isByServer(admin.access)) return [];
  const { access } = admin;
  if (access.authorization_server !== server.name) return [];
  const id = access.client_id ?? server.value.client_id;
  const index = service.clients.findIndex(({ client_id }) => client_id === id);
  const client = service.clients[index];
  return [
    ...everyUser(access, cite),
    ...unknownScopes(access, service, cite),
    ...(client === undefined ? [] : clientFaults(admin, access, client, cite(['clients', index]))),
  ];
}

/** The service has no scopes of single users. */
function everyUser({ users }: ServerAccess, cite: Operators['cite']): readonly Finding[] {
  if (users !== undefined) return [];
  const message = `the service gives this scope to every user who allows it (${cite(['scopes'])}), so every user may use the admin listener`;
  return [{ pointer: [...AT, 'scope'], message, hint: 'name the operators: `users: [SUBJECT]` in `access`' }];
}

function unknownScopes({ scope }: ServerAccess, { scopes }: AuthorizationConfig, cite: Operators['cite']) {
  const known = Object.keys(scopes);
  return scopeWords(scope)
    .filter((word) => !known.includes(word))
    .map((word) => ({
      pointer: [...AT, 'scope'],
      message: `\`${word}\` is not in \`scopes\` of ${cite(['scopes'])}: no token of the service can have this scope`,
      hint: didYouMean(word, known),
    }));
}

function clientFaults(
  admin: AdminConfig,
  { scope, client_id }: ServerAccess,
  client: ClientConfig,
  place: string,
): readonly Finding[] {
  const pointer = [...AT, client_id === undefined ? 'authorization_server' : 'client_id'];
  const missing = scopeWords(scope).filter((word) => !scopeWords(client.scope ?? '').includes(word));
  const redirect = redirectOf(admin);
  const lacks = [
    ...(client.grant_types.includes('authorization_code') ? [] : ['grant_types: [authorization_code]']),
    ...(missing.length === 0 ? [] : [`scope: ${missing.join(' ')}`]),
    ...(redirect === undefined || hasRedirect(client, redirect) ? [] : [`redirect_uris: ["${redirect.href}"]`]),
  ];
  return lacks.map((line) => ({
    pointer,
    message: `operators cannot log in with the client \`${client.client_id}\` (${place})`,
    hint: `write \`${line}\` there`,
  }));
}

/** Undefined: the address depends on the machine. */
function redirectOf({ host, port, tls, url }: AdminConfig): URL | undefined {
  const authority = host.includes(':') ? `[${host}]` : host;
  const origin = url ?? `${tls === undefined ? 'http' : 'https'}://${authority}:${port}`;
  return URL.parse('/console/callback', origin) ?? undefined;
}

/** RFC 8252 §7.3: an http address on loopback matches with any port. */
function hasRedirect({ redirect_uris }: ClientConfig, { href, protocol, hostname, pathname }: URL): boolean {
  if (redirect_uris.includes(href)) return true;
  if (protocol !== 'http:' || !/^(?:127\.0\.0\.1|\[::1\])$/.test(hostname)) return false;
  return redirect_uris.some((each) => {
    const registered = URL.parse(each);
    return registered?.protocol === protocol && registered.hostname === hostname && registered.pathname === pathname;
  });
}
