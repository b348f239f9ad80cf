import type { ConsentGiven, OneTime, Premises } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';

/** Where in the address the answer stands. */
export type ResponseMode = 'query' | 'fragment';

/** Where an answer may be sent: what must be sure before anything else is looked at (RFC 6749 §4.1.2.1). */
export interface Addressed {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  /** Whether the request named it; if so, the exchange names it too. */
  readonly redirectUriSent: boolean;
  readonly state: string | undefined;
  readonly mode: ResponseMode;
}

/** A request that may be granted, if the user wants. */
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
}

/** What the user said to it. */
export interface ConsentDecision {
  readonly account: Account;
  /** NumericDate. */
  readonly authTime: number;
  readonly scope: readonly string[];
  /** What is remembered of it. */
  readonly consent: ConsentGiven | undefined;
  /** The page of the decision. Undefined: no page was shown. */
  readonly transaction: OneTime | undefined;
  /** Always of a browser in which the user is signed in. */
  readonly premises: Premises & { readonly session: Uint8Array };
}

export type ResponseValues = Readonly<Record<string, string | number | undefined>>;

export interface ResponseType {
  /** One of the client's `grant_types`. */
  readonly grant: 'authorization_code' | 'implicit';
  /** The first is the default. */
  readonly modes: readonly ResponseMode[];
  /** Whether PKCE has a meaning for it. */
  readonly challenge: boolean;
  /** Answers once what it hands out is durable; undefined: the transaction counted before, and nothing is handed out. */
  respond(
    service: Service,
    request: AuthorizationRequest,
    decision: ConsentDecision,
  ): Promise<ResponseValues | undefined>;
}
