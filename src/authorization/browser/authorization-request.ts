import type { ConsentGiven, OneTime, Premises } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { OpenidRequest } from '../openid/openid-request.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';

/** The part of the redirect address that carries the response. */
export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** A verified return address. Every other check comes after this one (RFC 6749 §4.1.2.1). */
export interface Addressed {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  /** True if the request sent `redirect_uri`. The exchange must then send it too. */
  readonly redirectUriSent: boolean;
  readonly state: string | undefined;
  readonly mode: ResponseMode;
  /** The languages that the client asks for, in order, with spaces (OpenID Connect Core §3.1.2.1). */
  readonly uiLocales: string | undefined;
}

/** A valid request that the user can grant. */
export interface AuthorizationRequest extends Addressed {
  readonly responseType: ResponseType;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** S256 (RFC 7636). */
  readonly challenge: string | undefined;
  readonly prompt: ReadonlySet<string>;
  /** Seconds. */
  readonly maxAge: number | undefined;
  readonly loginHint: string | undefined;
  /** Undefined: the client wants no ID token. */
  readonly openid: OpenidRequest | undefined;
  /** The client only wants to know who the user is. Its access token is for this service alone, and for no API. */
  readonly isLoginOnly: boolean;
}

/** The user's decision about the request. */
export interface ConsentDecision {
  readonly account: Account;
  /** The id of the browser's session. */
  readonly sessionId: string;
  /** NumericDate. */
  readonly authTime: number;
  readonly scope: readonly string[];
  /** The stored consent. */
  readonly consent: ConsentGiven | undefined;
  /** The page of the decision. Undefined: no page was shown. */
  readonly transaction: OneTime | undefined;
  /** A decision always comes from a browser in which the user is signed in. */
  readonly premises: Premises & { readonly session: Uint8Array };
}

export type ResponseValues = Readonly<Record<string, string | number | undefined>>;

export interface ResponseType {
  /** One of the client's `grant_types`. */
  readonly grant: 'authorization_code' | 'implicit';
  /** The first is the default. */
  readonly modes: readonly ResponseMode[];
  /** True if PKCE applies. */
  readonly challenge: boolean;
  /** Returns after the issued values are durable. Undefined: the transaction was already used, and nothing is issued. */
  respond(
    service: Service,
    request: AuthorizationRequest,
    decision: ConsentDecision,
  ): Promise<ResponseValues | undefined>;
}
