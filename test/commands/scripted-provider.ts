import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Test } from 'tap';
import { json } from '../support/endpoint.ts';
import { serving } from '../support/serving.ts';

/** What an OpenID Provider says, where no certified one would say it. */
export interface Script {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** undefined leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  /** The ID token is signed by a key that the provider does not publish. */
  readonly foreignKey?: true;
  /** Instead of tokens. */
  readonly tokens?: (response: ServerResponse) => void;
  readonly userinfo?: Readonly<Record<string, unknown>>;
}

export interface ScriptedProvider {
  readonly issuer: string;
  /** The nonce of the authorization request. */
  expect(nonce: string): void;
}

export const accessToken = 'an-access-token';

export async function scriptedProvider(t: Test, script: Script = {}): Promise<ScriptedProvider> {
  const { alg = 'ES256' } = script;
  const pair = await generateKeyPair(alg, { extractable: true });
  const signer = script.foreignKey ? await generateKeyPair(alg) : pair;
  const jwk = { ...(await exportJWK(pair.publicKey)), alg, kid: 'key' };
  let nonce = '';
  const server = createServer((request, response) => void answer(request.url ?? '', response));
  const issuer = await serving(t, server);
  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/.well-known/openid-configuration')
      return json(response, { ...metadata(issuer), ...script.metadata });
    if (path === '/keys') return json(response, { keys: [jwk] });
    if (path === '/userinfo') return json(response, script.userinfo ?? {});
    if (path !== '/token') return void response.writeHead(404).end();
    if (script.tokens !== undefined) return script.tokens(response);
    const token = new SignJWT({ ...idToken(issuer, nonce), ...script.claims } as JWTPayload);
    const id_token = await token.setProtectedHeader({ alg, kid: 'key' }).sign(signer.privateKey);
    json(response, { access_token: accessToken, token_type: 'bearer', id_token });
  }
  return {
    issuer,
    expect(sent) {
      nonce = sent;
    },
  };
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
  };
}

function idToken(issuer: string, nonce: string): object {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, sub: 'alice', aud: 'cli', iat: now, exp: now + 300, nonce };
}
