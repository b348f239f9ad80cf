import type { Clock } from '../../../base/clock.ts';
import type { AdminConfig, ServerAccess } from '../../../config/schema/admin.ts';
import type { AuthorizationServerConfig } from '../../../config/schema/gateway.ts';
import type { JsonObject } from '../../../jwt/json.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import { clientAssertion } from '../../server-client/client-assertion.ts';
import { type Authenticate, authenticator } from '../../server-client/client-authentication.ts';
import {
  type FailedFetch,
  FETCH_DEADLINE,
  type Fetched,
  failed,
  type JsonRequest,
} from '../../server-client/fetch-json.ts';
import { judgeEndpoint, readMetadata } from '../../server-client/metadata.ts';
import type { AuthorizationServer } from '../../verify/authorization-server.ts';

/** What the guard of the listener is made from. */
export interface AccessParts {
  readonly admin: AdminConfig;
  readonly live: LiveGeneration;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
}

/** The authorization server of a login, with its block in the file that is active now. */
export interface LoginServer {
  readonly server: AuthorizationServer;
  readonly block: AuthorizationServerConfig;
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** The server promises `iss` in each answer (RFC 9207 §3). */
  readonly sendsIssuer: boolean;
  readonly document: JsonObject;
}

/** Milliseconds for which metadata serve, and milliseconds between two attempts after a failure. */
const FRESH_FOR = 60_000;
const PAUSE = 1_000;

interface Known {
  readonly server: AuthorizationServer;
  readonly document: Promise<Fetched>;
  until: number;
}

/** Finds the server that `access` names. Reads its metadata at most once in a while, however many browsers come. */
export class LoginServers {
  readonly #access: ServerAccess;
  readonly #live: LiveGeneration;
  #known: Known | undefined;

  constructor(access: ServerAccess, live: LiveGeneration) {
    this.#access = access;
    this.#live = live;
  }

  /** Undefined: a reload removed the server from the file. */
  get current(): AuthorizationServer | undefined {
    return this.#live.current.verifiers.server(this.#access.authorization_server);
  }

  get block(): AuthorizationServerConfig | undefined {
    return this.#live.current.config.authorization_servers[this.#access.authorization_server];
  }

  async find(): Promise<LoginServer | FailedFetch> {
    const { current: server, block } = this;
    if (server === undefined || block === undefined) return failed('the file no longer has this authorization server');
    // The primary process of several workers verifies no other tokens, so nothing else starts it there.
    const [fetched] = await Promise.all([this.#document(server), server.start()]);
    return fetched.kind === 'failed' ? fetched : this.#read(server, block, fetched.value);
  }

  #document(server: AuthorizationServer): Promise<Fetched> {
    const now = this.#live.current.shared.clock.monotonic();
    if (this.#known?.server === server && now < this.#known.until) return this.#known.document;
    const known: Known = { server, document: readMetadata(server), until: now + FRESH_FOR };
    this.#known = known;
    void known.document.then(({ kind }) => {
      if (kind === 'failed') known.until = now + PAUSE;
    });
    return known.document;
  }

  #read(server: AuthorizationServer, block: AuthorizationServerConfig, document: JsonObject) {
    const { issuer } = block;
    const rules = { issuer, development: this.#live.current.config.development };
    const authorizationEndpoint = judgeEndpoint(document, 'authorization_endpoint', rules);
    if (typeof authorizationEndpoint !== 'string') return authorizationEndpoint;
    const tokenEndpoint = judgeEndpoint(document, 'token_endpoint', rules);
    if (typeof tokenEndpoint !== 'string') return tokenEndpoint;
    const sendsIssuer = document.authorization_response_iss_parameter_supported === true;
    const clientId = this.#access.client_id ?? block.client_id ?? '';
    return { server, block, issuer, clientId, authorizationEndpoint, tokenEndpoint, sendsIssuer, document };
  }
}

export interface Redeeming {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Exchanges the code for tokens. */
export async function redeemLogin(
  found: LoginServer,
  redeeming: Redeeming,
  { admin, live, directory }: AccessParts,
): Promise<Fetched> {
  const around = { access: admin.access as ServerAccess, clock: live.current.shared.clock, directory };
  const asked = await tokenRequest(found, redeeming, around);
  if (asked.kind === 'failed') return asked;
  return found.server.fetch({ ...asked, signal: AbortSignal.timeout(FETCH_DEADLINE) });
}

export interface CodeRequest extends Pick<JsonRequest, 'url' | 'headers'> {
  readonly kind: 'request';
  readonly form: URLSearchParams;
}

interface AroundLogin {
  readonly access: ServerAccess;
  readonly clock: Clock;
  readonly directory: string;
}

/** The request with the code, and with the authentication of the client (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export async function tokenRequest(
  { block, tokenEndpoint }: Pick<LoginServer, 'block' | 'tokenEndpoint'>,
  { code, verifier, redirectUri }: Redeeming,
  { access, clock, directory }: AroundLogin,
): Promise<CodeRequest | FailedFetch> {
  const who = await clientOf(access, block, { clock, directory })();
  if (who.kind === 'failed') return who;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(access.resource !== undefined && { resource: access.resource }),
    ...who.form,
  });
  return { kind: 'request', url: tokenEndpoint, form, headers: who.headers };
}

/** A client without a secret is public, and only names itself (RFC 6749 §3.2.1). */
function clientOf(
  { client_id, client_secret }: ServerAccess,
  block: AuthorizationServerConfig,
  around: Parameters<typeof clientAssertion>[1],
): Authenticate {
  const told = block.introspection_endpoint_auth_method;
  const own = { client_id, client_secret, introspection_endpoint_auth_method: secretMethod(told) };
  const client = client_id === undefined ? block : own;
  if (client.client_secret === undefined && client.introspection_endpoint_auth_method !== 'private_key_jwt')
    return () => ({ kind: 'authentication', headers: {}, form: { client_id: client.client_id ?? '' } });
  return authenticator(client as typeof block, clientAssertion(block, around));
}

function secretMethod(told: AuthorizationServerConfig['introspection_endpoint_auth_method']) {
  return told === 'private_key_jwt' ? 'client_secret_basic' : told;
}
