import { randomBytes } from 'node:crypto';
import type { AuthorizationConfig } from '../../config/authorization.ts';
import { loadAuthorizationText, type Problem } from '../../config/load.ts';
import type { StoredClient } from '../../config/stored-client.ts';
import { Refusal } from './administer.ts';

export interface ClientOptions {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly redirectUri: readonly string[];
  readonly scope?: string | undefined;
  readonly grantType: readonly string[];
  readonly public?: true | undefined;
  readonly format?: string | undefined;
  readonly pkce: boolean;
  readonly session?: true | undefined;
  readonly introspect?: true | undefined;
  readonly retryWindow?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

export interface NewClient {
  /** What is kept of it: what was said, without its secret. */
  readonly registration: StoredClient;
  readonly warnings: readonly Problem[];
}

/** A client that is judged by the very rules of the file. */
export function newClient(id: string, options: ClientOptions, config: AuthorizationConfig): NewClient {
  const said = asInFile(options);
  const { version, development, issuer, resources, scopes } = config;
  // stands for the real one, which nobody sees but the operator
  const secret = options.public ? {} : { client_secret: randomBytes(32).toString('base64url') };
  const file = { version, development, issuer, resources, scopes, clients: [{ ...said, ...secret, client_id: id }] };
  const loaded = loadAuthorizationText(JSON.stringify(file));
  if (!loaded.ok) throw new Refusal(loaded.problems.map(({ message, hint }) => told(message, hint)).join('\n'));
  // the text is one line, and its client stands last: what is before it is a matter of the file
  const { column } = loaded.locate(['clients', 0]);
  const warnings = loaded.warnings.filter((warning) => warning.column >= column);
  return { registration: { ...said, public: options.public === true }, warnings };
}

/** Only what was said, so that the rest follows the defaults. */
function asInFile(options: ClientOptions): StoredClient {
  return {
    client_name: options.name,
    redirect_uris: options.redirectUri,
    scope: options.scope,
    grant_types: options.grantType,
    access_token_format: options.format,
    require_pkce: options.pkce ? undefined : false,
    retry_window: options.retryWindow,
    session: options.session,
    introspect: options.introspect,
    claims: options.claims,
  };
}

/** A line each; their places are in a file that nobody wrote. */
export function warningText(warnings: readonly Problem[]): string {
  return warnings.map(({ message, hint }) => `gatehouse: warning: ${told(message, hint)}\n`).join('');
}

function told(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}

/** 100 random bits that can be read out. */
export function newClientId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  return Array.from(randomBytes(20), (byte) => letters[byte % 32]).join('');
}

/** 256 random bits, with letters before them that secret scanners know. */
export function newClientSecret(): string {
  return `cs_${randomBytes(32).toString('base64url')}`;
}
