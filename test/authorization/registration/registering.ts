import type { Test } from 'tap';
import type { AuthorizationConfig } from '../../../src/config/schema/authorization.ts';
import { type FrontService, runFront } from '../browser/walk.ts';
import { type Changes, configuration, type RunOptions } from '../running-service.ts';

type Dynamic = AuthorizationConfig['registration']['dynamic'];

export interface RegisteringOptions extends Omit<RunOptions, 'config'> {
  readonly dynamic?: Partial<Dynamic>;
  readonly config?: Changes;
}

const sponsor = { id: 'sponsor', secret: 'cs_sponsor-secret-of-32-bytes-or' };

/** The service with dynamic registration, open to anyone. The client `sponsor` may get initial access tokens. */
export async function runRegistering(
  t: Test,
  { dynamic, config, ...options }: RegisteringOptions = {},
): Promise<FrontService> {
  const before = configuration();
  return runFront(t, {
    ...options,
    config: {
      scopes: { ...before.scopes, 'clients.register': 'Register clients' },
      clients: [
        ...before.clients,
        {
          client_id: sponsor.id,
          client_secret: sponsor.secret,
          scope: 'orders.read clients.register',
          grant_types: ['client_credentials'],
        },
      ],
      registration: {
        ...before.registration,
        dynamic: {
          ...before.registration.dynamic,
          enabled: true,
          initial_access_token: 'none',
          scope: 'orders.read orders.write',
          ...dynamic,
        },
      },
      ...config,
    },
  });
}

export function initialToken(service: FrontService, scope = 'clients.register'): Promise<string> {
  return service.token({ scope }, sponsor);
}

export const redirectUri = 'https://app.example.com/callback';

/** As an MCP client of 2025 registers itself. */
export const metadata = {
  client_name: 'Order Agent',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'orders.read',
};

export interface Information {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  readonly client_id_issued_at: number;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly redirect_uris: readonly string[];
  readonly [member: string]: unknown;
}

export function send(
  { url }: { readonly url: string },
  path: string,
  {
    method = 'POST',
    body,
    token,
    headers,
  }: {
    readonly method?: string;
    readonly body?: unknown;
    readonly token?: string | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

export async function registered(service: { readonly url: string }, changes: object = {}): Promise<Information> {
  const answer = await send(service, '/oauth2/register', { body: { ...metadata, ...changes } });
  const information = (await answer.json()) as Information;
  if (answer.status !== 201) throw new Error(JSON.stringify(information));
  return information;
}
