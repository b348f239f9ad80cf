import type { ClientAuthMethod } from '../../config/words/client-auth-methods.ts';
import { isLoopback } from '../../config/words/host.ts';
import { redirectUriFault } from '../../config/words/redirect-uri.ts';
import { endpointFaults } from '../../config/words/url-rules.ts';
import { isObject, type JsonObject } from '../../jwt/json.ts';
import { parseScope } from '../../oauth/scope.ts';

/** The metadata that this service keeps, with the names of RFC 7591 §2. */
export interface ClientMetadata {
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  /** Absent: none. */
  readonly scope?: string;
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly application_type: 'native' | 'web';
  readonly jwks?: JsonObject;
  readonly jwks_uri?: string;
}

export interface MetadataRules {
  readonly needsName: boolean;
  /** The first is the default. */
  readonly methods: readonly ClientAuthMethod[];
  /** The client gets at most this. */
  readonly scope: readonly string[];
}

export interface MetadataFault {
  /** RFC 7591 §3.2.2. */
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';
  readonly reason: string;
}

export type SelfDescription =
  | { readonly kind: 'described'; readonly metadata: ClientMetadata }
  | ({ readonly kind: 'refused' } & MetadataFault);

/**
 * Judges the metadata that a client says about itself. Grants, response types and scope are narrowed to what such a client may
 * have (RFC 7591 §2), because clients list all that they support. Everything else must be right.
 */
export function judgeMetadata(said: JsonObject, rules: MetadataRules): SelfDescription {
  for (const judge of judges) {
    const fault = judge(said, rules);
    if (fault !== undefined) return { kind: 'refused', ...fault };
  }
  return { kind: 'described', metadata: metadataOf(said, rules) };
}

type Judge = (said: JsonObject, rules: MetadataRules) => MetadataFault | undefined;

const judges: readonly Judge[] = [
  ({ client_name: name }, { needsName }) => nameFault(name, needsName),
  ({ redirect_uris: uris }) => redirectsFault(uris),
  (said) => typeFault(said),
  ({ grant_types: types }) => listFault('grant_types', types, 'authorization_code'),
  ({ response_types: types }) => listFault('response_types', types, 'code'),
  ({ token_endpoint_auth_method: method }, { methods }) => {
    if (method === undefined || methods.some((known) => known === method)) return undefined;
    return unusable(`token_endpoint_auth_method must be one of ${methods.join(', ')}`);
  },
  (said, rules) => (methodOf(said, rules) === 'private_key_jwt' ? keysFault(said) : undefined),
  ({ scope }, rules) => scopeFault(scope, rules.scope),
];

function unusable(reason: string): MetadataFault {
  return { code: 'invalid_client_metadata', reason };
}

const MOST_REDIRECTS = 50;
const LONGEST_NAME = 100;
const LONGEST_URL = 1024;

/** Control characters, separators of lines, halves of surrogate pairs, and marks that change the direction of our own text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function nameFault(name: unknown, needsName: boolean): MetadataFault | undefined {
  if (name === undefined) return needsName ? unusable('client_name is missing') : undefined;
  if (typeof name !== 'string' || name.trim() === '') return unusable('client_name is not a string, or is blank');
  if ([...name].length > LONGEST_NAME) return unusable(`client_name has more than ${LONGEST_NAME} characters`);
  return unprintable.test(name) ? unusable('client_name has a control character') : undefined;
}

function redirectsFault(uris: unknown): MetadataFault | undefined {
  if (uris === undefined) return wrongRedirect('redirect_uris is missing');
  if (!isTexts(uris) || uris.length === 0) return wrongRedirect('redirect_uris is not a list of strings, or is empty');
  if (uris.length > MOST_REDIRECTS) return wrongRedirect(`redirect_uris has more than ${MOST_REDIRECTS} addresses`);
  if (uris.some((uri) => uri.length > LONGEST_URL))
    return wrongRedirect(`redirect_uris has an address of more than ${LONGEST_URL} characters`);
  const fault = uris.map(redirectUriFault).find((each) => each !== undefined);
  return fault && wrongRedirect(fault.message.replaceAll('§', 'section '));
}

function wrongRedirect(reason: string): MetadataFault {
  return { code: 'invalid_redirect_uri', reason };
}

/** OpenID Connect Dynamic Client Registration §2. */
function typeFault({ application_type: type, redirect_uris: uris }: JsonObject): MetadataFault | undefined {
  if (type !== undefined && type !== 'native' && type !== 'web')
    return unusable('application_type must be native or web');
  if (type !== 'web' || (uris as readonly string[]).every(isOfWeb)) return undefined;
  return wrongRedirect(
    'a web client needs https addresses that are not loopback: use such addresses, or set application_type to native',
  );
}

function isOfWeb(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'https:' && !isLoopback(hostname);
}

function listFault(name: string, values: unknown, needed: string): MetadataFault | undefined {
  if (values === undefined) return undefined;
  if (!isTexts(values)) return unusable(`${name} is not a list of strings`);
  return values.includes(needed) ? undefined : unusable(`${name} must contain ${needed}`);
}

/** RFC 7591 §2: never both. The keys themselves are judged where they are imported. */
function keysFault({ jwks, jwks_uri: uri }: JsonObject): MetadataFault | undefined {
  if ((jwks === undefined) === (uri === undefined)) return unusable('private_key_jwt needs either jwks or jwks_uri');
  if (jwks !== undefined) return isObject(jwks) ? undefined : unusable('jwks is not a key set');
  if (typeof uri !== 'string' || uri.length > LONGEST_URL) return unusable('jwks_uri is not a URL');
  if (!uri.startsWith('https://')) return unusable('jwks_uri is not an https URL');
  const [fault] = endpointFaults([], uri, false);
  return fault && unusable(`jwks_uri: ${fault.message}`);
}

function scopeFault(scope: unknown, allowed: readonly string[]): MetadataFault | undefined {
  if (scope === undefined || scope === '') return undefined;
  const wanted = typeof scope === 'string' ? parseScope(scope) : undefined;
  if (wanted === undefined) return unusable('scope is malformed');
  if (allowed.length === 0 || wanted.some((each) => allowed.includes(each))) return undefined;
  return unusable('scope has no value that this service allows for the client');
}

function metadataOf(said: JsonObject, rules: MetadataRules): ClientMetadata {
  const uris = [...new Set(said.redirect_uris as readonly string[])];
  const grants = (said.grant_types ?? ['authorization_code']) as readonly string[];
  const scope = scopeOf(said.scope, rules.scope);
  const method = methodOf(said, rules);
  return {
    ...(said.client_name !== undefined && { client_name: said.client_name as string }),
    redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'].filter((grant) => grants.includes(grant)),
    response_types: ['code'],
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    token_endpoint_auth_method: method,
    // Clients that know no OpenID Connect do not say it, and most of them are programs on a device.
    application_type: (said.application_type ?? (uris.every(isOfWeb) ? 'web' : 'native')) as 'native' | 'web',
    ...(method === 'private_key_jwt' && keysOf(said)),
  };
}

function scopeOf(scope: unknown, allowed: readonly string[]): readonly string[] {
  const wanted = typeof scope === 'string' ? parseScope(scope) : undefined;
  return wanted === undefined ? allowed : allowed.filter((each) => wanted.includes(each));
}

function methodOf({ token_endpoint_auth_method: method }: JsonObject, { methods }: MetadataRules) {
  return (method ?? methods[0] ?? 'none') as ClientAuthMethod;
}

function keysOf({ jwks, jwks_uri }: JsonObject): Pick<ClientMetadata, 'jwks' | 'jwks_uri'> {
  return jwks === undefined ? { jwks_uri: jwks_uri as string } : { jwks: jwks as JsonObject };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
