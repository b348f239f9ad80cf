import type { JWTPayload } from 'jose';
import { Agent, type Dispatcher } from 'undici';
import { type FetchJson, jsonFetcher } from '../../gateway/server-client/fetch-json.ts';
import {
  authorizationUrl,
  type LoginProof,
  newLoginProof,
  type WantedLogin,
} from '../../gateway/server-client/login-request.ts';
import { connectOptions } from '../../gateway/server-client/trust.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { authorizationCodeIn } from './callback-code.ts';
import { failedPage, signedInPage } from './callback-page.ts';
import { type Callback, type CallbackAnswer, openCallback } from './callback-server.ts';
import { LoginFailure } from './failure.ts';
import { findProvider, type Provider } from './provider.ts';
import { type LoginTokens, redeemCode } from './redeem-code.ts';
import { readUserinfo } from './userinfo.ts';
import { verifyIdToken } from './verify-id-token.ts';
import { waitForAnswer } from './wait-for-answer.ts';

export interface BrowserLoginOptions extends WantedLogin {
  readonly issuer: string;
  /** Undefined: any free port. */
  readonly port: number | undefined;
  /** Milliseconds for the person at the browser. */
  readonly timeout: number;
  /** The remedy if there is no answer in this time. */
  readonly remedy: string;
  /** Called when the command is ready for the browser. */
  readonly onReady: (url: string, redirectUri: string) => void;
  /** Called for an answer to another request. */
  readonly onForeign: () => void;
}

export interface LoginResult {
  readonly tokens: LoginTokens;
  /** The verified claims of the ID token. Undefined: there is none. */
  readonly claims: JWTPayload | undefined;
  readonly userinfo: JsonObject | undefined;
}

/** Everything that one login uses. */
interface Login {
  readonly provider: Provider;
  readonly wanted: WantedLogin;
  readonly proof: LoginProof;
  readonly redirectUri: string;
  readonly dispatcher: Dispatcher;
  readonly fetch: FetchJson;
}

/** Signs a user in with a browser. Rejects with LoginFailure or CannotListen. */
export async function browserLogin(options: BrowserLoginOptions): Promise<LoginResult> {
  const dispatcher = new Agent({ connect: connectOptions({ kind: 'system' }) });
  const fetch = jsonFetcher(dispatcher);
  const proof = newLoginProof();
  let callback: Callback | undefined;
  try {
    const provider = await findProvider(options.issuer, fetch);
    callback = await openCallback({ port: options.port, state: proof.state, onForeign: options.onForeign });
    const { redirectUri, answer } = callback;
    // A signal may come as soon as the address is printed.
    const waiting = waitForAnswer(answer, options);
    options.onReady(authorizationUrl(provider, options, proof, redirectUri), redirectUri);
    const login = { provider, wanted: options, proof, redirectUri, dispatcher, fetch };
    return await tellBrowser(await waiting, login);
  } finally {
    callback?.close();
    await dispatcher.destroy();
  }
}

/** The browser shows the outcome, so the person there needs no terminal. */
async function tellBrowser(answer: CallbackAnswer, login: Login): Promise<LoginResult> {
  try {
    const signedIn = await finish(authorizationCodeIn(answer.parameters, login.provider), login);
    await answer.show(signedInPage);
    return signedIn;
  } catch (error) {
    await answer.show(failedPage(error instanceof LoginFailure ? error.message : 'The command failed'));
    throw error;
  }
}

async function finish(code: string, login: Login): Promise<LoginResult> {
  const { provider, wanted, proof, redirectUri, dispatcher, fetch } = login;
  const tokens = await redeemCode(provider, wanted, { code, redirectUri, proof }, dispatcher);
  const { access_token: accessToken, id_token: idToken } = tokens;
  if (typeof idToken !== 'string') return { tokens, claims: undefined, userinfo: undefined };
  const expected = { clientId: wanted.clientId, nonce: proof.nonce, accessToken };
  const claims = await verifyIdToken(idToken, provider, expected, fetch);
  return { tokens, claims, userinfo: await readUserinfo(provider, accessToken, claims.sub, fetch) };
}
