import { challenge, verifier } from '../../../authorization/grant-flow.ts';
import type { Stage } from './stage.ts';

/** How a client that is not part of these tests gets its id. */
export type Way =
  | { readonly by: 'id'; readonly id: string }
  /** The client registers with these redirect addresses. */
  | { readonly by: 'registration'; readonly addresses: readonly string[] };

export const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const initialize = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'agent', version: '1' },
});

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** What the service says about itself, found from the first refusal, as every client finds it. */
interface Discovered {
  readonly scope: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly client_id_metadata_document_supported: boolean;
}

export async function discovered({ url }: Stage): Promise<Discovered> {
  const refused = await fetch(url, { method: 'POST', headers, body: initialize });
  const offer = refused.headers.get('www-authenticate') ?? '';
  const said = (name: string) => new RegExp(`${name}="([^"]+)"`).exec(offer)?.[1] ?? '';
  const { authorization_servers } = await jsonOf<{ authorization_servers: string[] }>(said('resource_metadata'));
  const metadata = `${authorization_servers[0]}/.well-known/oauth-authorization-server`;
  return { ...(await jsonOf<Omit<Discovered, 'scope'>>(metadata)), scope: said('scope') };
}

async function jsonOf<Body>(url: string, init?: RequestInit): Promise<Body> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

/** Where the browser goes, with this redirect address. */
export async function authorizationUrl(stage: Stage, way: Way, redirect_uri: string): Promise<URL> {
  const { authorization_endpoint, registration_endpoint, scope } = await discovered(stage);
  const client_id = way.by === 'id' ? way.id : await register(registration_endpoint, way.addresses);
  const request = { response_type: 'code', client_id, redirect_uri, scope, resource: stage.url };
  const proof = { state: 'xyz', code_challenge: challenge, code_challenge_method: 'S256' };
  return new URL(`${authorization_endpoint}?${new URLSearchParams({ ...request, ...proof })}`);
}

async function register(endpoint: string, redirect_uris: readonly string[]): Promise<string> {
  const client = {
    client_name: 'An agent',
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const init = { method: 'POST', headers, body: JSON.stringify(client) };
  return (await jsonOf<{ client_id: string }>(endpoint, init)).client_id;
}

/** Logs in as alice. Returns the token, and the address at which the browser arrived. */
export async function loggedIn(stage: Stage, way: Way, redirect_uri: string) {
  const { token_endpoint } = await discovered(stage);
  const asked = await authorizationUrl(stage, way, redirect_uri);
  const arrival = await stage.browse(asked);
  const form = {
    grant_type: 'authorization_code',
    code: arrival.searchParams.get('code') ?? '',
    client_id: asked.searchParams.get('client_id') ?? '',
    redirect_uri,
    code_verifier: verifier,
    resource: stage.url,
  };
  const init = { method: 'POST', body: new URLSearchParams(form) };
  const { access_token } = await jsonOf<{ access_token: string }>(token_endpoint, init);
  return { token: access_token, arrival: `${arrival.origin}${arrival.pathname}` };
}

/** Opens a session, and lists the tools. */
export async function toolsOf({ url }: Stage, token: string, more: Record<string, string> = {}): Promise<string> {
  const own = { ...headers, ...more, authorization: `Bearer ${token}` };
  const opened = await fetch(url, { method: 'POST', headers: own, body: initialize });
  await opened.text();
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  const listed = await fetch(url, { method: 'POST', headers: { ...own, ...session }, body: message('tools/list', {}) });
  return listed.text();
}
