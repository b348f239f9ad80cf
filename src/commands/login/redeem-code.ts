import { type Dispatcher, request } from 'undici';
import { quoted } from '../../base/quoted.ts';
import { FETCH_DEADLINE, fetchFault } from '../../gateway/server-client/fetch-json.ts';
import type { LoginProof, WantedLogin } from '../../gateway/server-client/login-request.ts';
import { type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import { serverFailure } from './error-remedies.ts';
import { LoginFailure } from './failure.ts';
import type { Provider } from './provider.ts';

/** The answer of the token endpoint (RFC 6749 §5.1), with all its members. */
export interface LoginTokens extends JsonObject {
  readonly access_token: string;
}

export interface CodeExchange {
  readonly code: string;
  readonly redirectUri: string;
  readonly proof: LoginProof;
}

/** Exchanges the code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export async function redeemCode(
  provider: Provider,
  wanted: WantedLogin,
  { code, redirectUri, proof }: CodeExchange,
  dispatcher: Dispatcher,
): Promise<LoginTokens> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: proof.verifier,
  });
  for (const resource of wanted.resources) form.append('resource', resource);
  const headers = authenticate(provider, wanted, form);
  const { status, value } = await post(provider.tokenEndpoint, { form, headers, dispatcher });
  if (status === 200 && value !== undefined) return tokensIn(value);
  throw refusal(wanted, provider.tokenEndpoint, status, value);
}

/** Adds the client to the form, or returns its header (RFC 6749 §2.3.1, §3.2.1). */
function authenticate(
  { secretMethods }: Provider,
  { clientId, secret }: WantedLogin,
  form: URLSearchParams,
): Record<string, string> {
  const isBasic = secretMethods.includes('client_secret_basic') || !secretMethods.includes('client_secret_post');
  if (secret !== undefined && isBasic) {
    const pair = [clientId, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':');
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  form.set('client_id', clientId);
  if (secret !== undefined) form.set('client_secret', secret);
  return {};
}

interface Posted {
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

/** Bytes: more than any answer of a token endpoint. */
const LONGEST = 1024 * 1024;

/** Unlike other documents, an error of the token endpoint has a JSON body too. */
async function post(url: string, { form, headers, dispatcher }: Posted) {
  const signal = AbortSignal.timeout(FETCH_DEADLINE);
  const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal,
      method: 'POST',
      headers: { ...type, ...headers },
      body: form.toString(),
    });
    return { status: statusCode, value: parseJsonObject(await readBytes(body)) };
  } catch (error) {
    if (error instanceof LoginFailure) throw error;
    throw new LoginFailure(`${url}: ${fetchFault(error)}: check that the authorization server still runs`);
  }
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LONGEST) throw new LoginFailure('the answer of the token endpoint is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** RFC 6749 appendix A.12: an access token is printable ASCII, so the terminal needs no protection. */
const TOKEN = /^[\x20-\x7e]+$/;

function tokensIn(value: JsonObject): LoginTokens {
  const { access_token, token_type } = value;
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw new LoginFailure(`the token has the type ${quoted(token_type)}, and this command supports only Bearer`);
  if (typeof access_token !== 'string' || !TOKEN.test(access_token))
    throw new LoginFailure('the token endpoint answers without a token: the authorization server breaks RFC 6749');
  return { ...value, access_token };
}

function refusal({ secret, clientId }: WantedLogin, url: string, status: number, value: JsonObject = {}): LoginFailure {
  const { error, error_description: text } = value;
  if (typeof error !== 'string')
    return new LoginFailure(`${url} answers status ${status} without a token: read the log of the server`);
  const description = typeof text === 'string' ? text : undefined;
  if (error !== 'invalid_client') return serverFailure({ code: error, description });
  const remedy =
    secret === undefined
      ? `if the client ${clientId} has a secret, add --client-secret; otherwise register it as a public client`
      : `check the secret of the client ${clientId}`;
  return serverFailure({ code: error, description }, remedy);
}
