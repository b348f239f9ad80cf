/** The pages' input: plain values. Times are milliseconds since the epoch, waits are seconds. */

import type { ErrorKind } from './error-kinds.ts';
import type { Texts } from './texts/texts.ts';

/** The data that all pages share. It is made once, at start. */
export interface Site {
  /** The service's display name, for titles and for the head of pages without a logo. */
  readonly name: string;
  /** Path of the stylesheet. */
  readonly stylesheet: string;
  /** Path of the tab's icon. */
  readonly icon: string;
  /** Path of the logo. */
  readonly logo?: string;
  readonly texts: Texts;
}

/** The target of a form, and the fields that protect it against CSRF. */
export interface InteractionForm {
  readonly action: string;
  readonly transaction: string;
  readonly csrf?: string;
}

export interface AccountForm {
  readonly action: string;
  readonly csrf: string;
}

export interface Application {
  readonly name: string;
  readonly redirectUri: string;
  /** Where the name comes from, if no operator has checked it. */
  readonly origin?: { readonly kind: 'document'; readonly host: string } | { readonly kind: 'itself' };
  /** The application has only addresses of programs on the user's device. */
  readonly isLocalOnly?: boolean;
}

export interface Person {
  readonly username: string;
  readonly name?: string;
}

export interface LoginView {
  readonly form: InteractionForm;
  /** The requesting application. Absent if the user opened the page directly. */
  readonly application?: Application;
  /** The username from the previous attempt. */
  readonly username?: string;
  /** The signed-in user, if the application asks for a different user. */
  readonly notThisUser?: Person;
  readonly failure?: { readonly kind: 'refused' } | { readonly kind: 'throttled'; readonly retryAfter: number };
}

export interface ScopeChoice {
  readonly token: string;
  /** The operator's description; the scope itself if there is none. */
  readonly words?: string;
  readonly grantedBefore?: boolean;
  /** Default: true. */
  readonly ticked?: boolean;
}

export interface ConsentView {
  readonly form: InteractionForm;
  /** The "not you?" form. */
  readonly switchForm: InteractionForm;
  readonly application: Application;
  readonly person: Person;
  readonly scopes: readonly ScopeChoice[];
  /** The user pressed Allow without ticking anything. */
  readonly failure?: 'nothing_ticked';
  /** Path of the account page, where the user can withdraw a grant. */
  readonly account?: string;
}

export interface ErrorView {
  readonly kind: ErrorKind;
  /** The error code as in the log. */
  readonly code: string;
  /** The id of the log line. */
  readonly id: string;
  /** The exact fault, for the developer. */
  readonly detail?: string;
  readonly retryAfter?: number;
  /** Path of the account page, for a user who may have wanted to go there. */
  readonly account?: string;
}

export interface ConnectedAppView {
  readonly clientId: string;
  readonly application: Application;
  /** Words of the granted scopes. */
  readonly scopes: readonly string[];
  readonly since: number;
  readonly lastUsed?: number;
}

export interface SessionView {
  readonly id: string;
  readonly current: boolean;
  readonly userAgent?: string;
  readonly address: string;
  /** The address belongs to the network of this browser. */
  readonly isSameNetwork: boolean;
  readonly since: number;
  /** Within five minutes. */
  readonly lastSeen?: number;
}

/** When something took effect; absent if unknown. */
export interface TookEffect {
  readonly at?: number;
}

export interface AccountView {
  readonly person: Person;
  readonly apps: readonly ConnectedAppView[];
  readonly sessions: readonly SessionView[];
  /** Wrong passwords from unknown browsers. */
  readonly guesses?: GuessesView;
  /** Posted with `client_id`. */
  readonly disconnectForm: AccountForm;
  /** Posted with `session`. */
  readonly endSessionForm: AccountForm;
  readonly signOutForm: AccountForm;
  readonly signOutEverywhereForm: AccountForm;
  /** The user's last action. */
  readonly done?: TookEffect & { readonly what: 'disconnected' | 'session_ended' };
}

export interface GuessesView {
  readonly count: number;
  /** Milliseconds since the epoch. Until then, unknown browsers cannot sign in. */
  readonly closedUntil?: number;
}

/** An answer that the browser posts to a client. */
export interface FormPostView {
  readonly action: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

export interface LogoutView {
  readonly form: InteractionForm;
  readonly person: Person;
  /** The name of the application that sent the user here. */
  readonly application?: string;
  /** Path of the account page, for a user who stays. */
  readonly account: string;
}

export interface SignedOutView {
  /** Clients of OpenID Connect are signed out too. */
  readonly clients?: boolean;
  /** Present after signing out everywhere: no session and no app is left. */
  readonly everywhere?: TookEffect;
  /** Path of the login page. */
  readonly signIn?: string;
}
