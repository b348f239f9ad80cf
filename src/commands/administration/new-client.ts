import { randomBytes } from 'node:crypto';
import { loadAuthorizationText, type Problem } from '../../config/load/load.ts';
import type { StoredClient } from '../../config/load/stored-client.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { Refusal } from './administer.ts';

export interface ClientOptions {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly redirectUri: readonly string[];
  readonly scope?: string | undefined;
  readonly grantType: readonly string[];
  readonly public?: true | undefined;
  /** A client with keys instead of a secret. */
  readonly jwksUri?: string | undefined;
  readonly format?: string | undefined;
  readonly pkce: boolean;
  readonly session?: true | undefined;
  readonly introspect?: true | undefined;
  readonly events?: true | undefined;
  readonly keys?: true | undefined;
  readonly retryWindow?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  readonly postLogoutRedirectUri: readonly string[];
  readonly backchannelLogoutUri?: string | undefined;
  readonly idTokenAlg?: string | undefined;
  readonly userinfoAlg?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly sectorIdentifierUri?: string | undefined;
}

export interface NewClient {
  /** The registration to store, without the secret. */
  readonly registration: StoredClient;
  readonly warnings: readonly Remark[];
}

type Remark = Pick<Problem, 'message' | 'hint'>;

/** Builds a client, which must pass the rules of the file. `known`: its faults so far. All faults are reported at once. */
export function newClient(
  id: string,
  options: ClientOptions,
  config: AuthorizationConfig,
  known: readonly string[],
): NewClient {
  const said = asInFile(options);
  const { version, development, issuer, resources, scopes, session, signing, openid } = config;
  // The rules need a secret, so this is a placeholder. Only the operator sees the real one.
  const secret = !getsSecret(options) ? {} : { client_secret: randomBytes(32).toString('base64url') };
  const provider = { enabled: openid.enabled, subject: openid.subject };
  const file = { version, development, issuer, resources, scopes, session, signing, openid: provider };
  const loaded = loadAuthorizationText(JSON.stringify({ ...file, clients: [{ ...said, ...secret, client_id: id }] }));
  const wrong = [...known, ...(loaded.ok ? [] : errorsOf(loaded.problems).map(told))];
  if (!loaded.ok || wrong.length > 0) throw new Refusal(wrong.join('\n'));
  // JSON puts the file on one line, with the client last. Faults before this offset belong to the file.
  const before = JSON.stringify(file).length;
  const warnings = [...loaded.warnings.filter(({ column }) => column > before), ...idleRemarks(options)];
  return { registration: { ...said, public: options.public === true }, warnings };
}

export function getsSecret({ public: isPublic, jwksUri }: ClientOptions): boolean {
  return isPublic !== true && jwksUri === undefined;
}

function errorsOf(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

/** A file may contain an unfinished client without a grant. A command without a grant probably lacks an option. */
function idleRemarks({ grantType, introspect, session, keys, events }: ClientOptions): readonly Remark[] {
  if (grantType.length > 0 || introspect || session || keys || events) return [];
  return [
    { message: 'this client has no grant, so it gets no tokens', hint: 'add `--grant-type …`, or `--introspect`' },
  ];
}

/** Only the given options, so that the rest follows the defaults. */
function asInFile(options: ClientOptions): StoredClient {
  return {
    client_name: options.name,
    redirect_uris: options.redirectUri,
    scope: options.scope,
    grant_types: options.grantType,
    ...(options.jwksUri !== undefined && {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: options.jwksUri,
    }),
    access_token_format: options.format,
    require_pkce: options.pkce ? undefined : false,
    retry_window: options.retryWindow,
    session: options.session,
    introspect: options.introspect,
    events: options.events,
    keys: options.keys,
    claims: options.claims,
    post_logout_redirect_uris: options.postLogoutRedirectUri.length > 0 ? options.postLogoutRedirectUri : undefined,
    backchannel_logout_uri: options.backchannelLogoutUri,
    id_token_signed_response_alg: options.idTokenAlg,
    userinfo_signed_response_alg: options.userinfoAlg,
    subject_type: options.subjectType,
    sector_identifier_uri: options.sectorIdentifierUri,
  };
}

/** One problem a line, without positions, because they belong to a generated file. */
export function warningText(warnings: readonly Remark[]): string {
  return warnings.map((warning) => `gatehouse: warning: ${told(warning)}\n`).join('');
}

function told({ message, hint }: Remark): string {
  return hint === undefined ? message : `${message}: ${inFlags(hint)}`;
}

/** Remedy for the file → remedy for the command line. */
const flags: readonly (readonly [RegExp, string])[] = [
  [/`redirect_uris: \[([^\]]+)\]`/, '`--redirect-uri $1`'],
  [/`(\w+)` to `grant_types`/, '`--grant-type $1`'],
  [/^write `authorization_code`$/, 'write `--grant-type authorization_code`'],
  [/^write `client_secret: .*`$/, 'leave out `--public`'],
  [/^register another client for this$/, 'leave out `--jwks-uri`'],
  [/^remove this, or give the client a `client_secret`$/, 'leave out `--no-pkce` or `--public`'],
  [/^remove this once/, 'leave out `--no-pkce` once'],
  [/remove the addresses$/, 'leave out `--redirect-uri`'],
];

function inFlags(hint: string): string {
  return flags.reduce((text, [remedy, flag]) => text.replace(remedy, flag), hint);
}
