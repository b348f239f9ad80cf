import { randomBytes } from 'node:crypto';
import type { StoredClient } from '../../authorization/clients.ts';
import type { AuthorizationConfig } from '../../config/authorization.ts';
import { loadAuthorizationText } from '../../config/load.ts';
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

/** A client that is judged by the very rules of the file, and kept as one of it without its secret. */
export function newClient(id: string, options: ClientOptions, config: AuthorizationConfig): StoredClient {
  const isPublic = options.public === true;
  const { version, development, issuer, resources, scopes, tokens } = config;
  const file = { version, development, issuer, resources, scopes, clients: [asInFile(id, options)] };
  const loaded = loadAuthorizationText(JSON.stringify(file));
  if (!loaded.ok) throw new Refusal(loaded.problems.map(({ message, hint }) => told(message, hint)).join('\n'));
  const [{ client_id: _id, client_secret: _secret, ...client }] = loaded.config.clients as [StoredClient & Named];
  const retry = options.retryWindow === undefined ? tokens.refresh.retry_window : client.retry_window;
  return { ...client, retry_window: retry, public: isPublic };
}

interface Named {
  readonly client_id: string;
  readonly client_secret?: string;
}

function asInFile(id: string, options: ClientOptions): object {
  return {
    client_id: id,
    // stands for the real one, which nobody sees but the operator
    ...(options.public ? {} : { client_secret: randomBytes(32).toString('base64url') }),
    client_name: options.name,
    redirect_uris: options.redirectUri,
    scope: options.scope,
    grant_types: options.grantType,
    access_token_format: options.format,
    require_pkce: options.pkce,
    retry_window: options.retryWindow,
    session: options.session ?? false,
    introspect: options.introspect ?? false,
    claims: options.claims ?? {},
  };
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
