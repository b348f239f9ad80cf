import type { ErrorKind } from './error-kinds.ts';
import { type Html, html } from './html.ts';
import type { Redirect } from './redirect.ts';

interface ErrorTexts {
  readonly title: string;
  readonly what: string;
  /** What the person can do. */
  readonly remedy: string;
}

/** Everything that the pages say. Another language is another value of this type. */
export interface Texts {
  /** BCP 47. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  /** Before the title of a page that was refused. */
  readonly failed: string;
  readonly wait: (howLong: string) => string;
  /** When something that was just done took effect. */
  readonly inEffect: (when: Html) => Html;
  readonly login: {
    readonly title: string;
    readonly asks: (application: Html) => Html;
    readonly returns: Readonly<Record<Redirect['kind'], (where: Html) => Html>>;
    readonly username: string;
    readonly password: string;
    readonly submit: string;
    readonly refused: string;
    readonly throttled: (wait: string) => string;
  };
  readonly consent: {
    readonly title: (application: string) => string;
    readonly heading: (application: Html) => Html;
    readonly signedInAs: string;
    readonly notYou: string;
    readonly scopes: string;
    readonly noScopes: string;
    readonly before: string;
    readonly returns: Readonly<Record<Redirect['kind'], (where: Html) => Html>>;
    readonly deny: string;
    readonly allow: string;
    readonly nothingTicked: string;
    readonly takeBack: string;
    readonly account: string;
  };
  readonly error: {
    readonly kinds: Readonly<Record<ErrorKind, ErrorTexts>>;
    readonly code: string;
    readonly id: string;
    readonly detail: string;
  };
  readonly account: {
    readonly title: string;
    readonly signedInAs: string;
    readonly signOut: string;
    readonly apps: string;
    readonly noApps: string;
    readonly returns: Readonly<Record<Redirect['kind'], (where: Html) => Html>>;
    readonly noScopes: string;
    readonly since: string;
    readonly lastUsed: string;
    readonly never: string;
    readonly disconnect: (application: Html) => Html;
    readonly sessions: string;
    readonly device: (browser: string, platform: string) => string;
    readonly unknownDevice: string;
    readonly thisSession: string;
    readonly address: string;
    readonly signedIn: string;
    readonly lastSeen: string;
    readonly endSession: (device: Html) => Html;
    readonly guesses: (count: number) => string;
    readonly closedUntil: (when: Html) => Html;
    readonly everywhere: string;
    readonly everywhereMeans: string;
    readonly signOutEverywhere: string;
    readonly done: Readonly<Record<'disconnected' | 'session_ended', string>>;
  };
  readonly signedOut: {
    readonly title: string;
    readonly what: string;
    readonly everywhere: string;
    readonly signIn: string;
  };
}

/** Said by screen readers only: the buttons of a list would all be called the same. */
const spoken = (words: Html) => html`<span class="hidden">${words}</span>`;

const expired = 'Go back to the application and start again. Cookies must be allowed for this site.';

export const english: Texts = {
  lang: 'en',
  dir: 'ltr',
  failed: 'Error: ',
  wait: (howLong) => `Wait ${howLong}, then try again.`,
  inEffect: (when) => html`It took effect at ${when}.`,
  login: {
    title: 'Sign in',
    asks: (application) => html`${application} asks you to sign in.`,
    returns: {
      web: (where) => html`Afterwards you go back to ${where}.`,
      loopback: (where) => html`Afterwards you go back to a program on this device (${where}).`,
      app: (where) => html`Afterwards you go back to an app on this device (${where}).`,
    },
    username: 'Username',
    password: 'Password',
    submit: 'Sign in',
    refused: 'Username or password is wrong.',
    throttled: (wait) => `Too many attempts. ${wait}`,
  },
  consent: {
    title: (application) => `Allow ${application}?`,
    heading: (application) => html`${application} asks for access to your account`,
    signedInAs: 'Signed in as',
    notYou: 'Not you?',
    scopes: 'It would be allowed to',
    noScopes: 'It only wants to know that you have signed in.',
    before: 'allowed before',
    returns: {
      web: (where) => html`Your answer goes to ${where}.`,
      loopback: (where) =>
        html`Your answer goes to a program on this device (${where}). Allow it only if you have just started it yourself.`,
      app: (where) =>
        html`Your answer goes to an app on this device (${where}). Allow it only if you have just started it yourself.`,
    },
    deny: 'Deny',
    allow: 'Allow',
    nothingTicked: 'Nothing is ticked. Tick what you want to allow, or deny.',
    takeBack: 'You can take this back at any time.',
    account: 'Connected apps',
  },
  error: {
    kinds: {
      unknown_client: {
        title: 'This application is not known here',
        what: 'An application sent you here that is not registered with this service.',
        remedy: 'You can close this page. If you trust the application, tell the people who run it.',
      },
      redirect_refused: {
        title: 'You cannot be sent back safely',
        what: 'The application asked for you to be sent to an address that it has not registered. You were not sent there.',
        remedy: 'You can close this page. If you trust the application, tell the people who run it.',
      },
      bad_request: {
        title: 'This request cannot be understood',
        what: 'The link or form that led here is damaged or incomplete.',
        remedy: 'Go back to the application and start again.',
      },
      expired_transaction: {
        title: 'This took too long',
        what: 'The page waited too long for your answer, or was answered already, and is no longer valid.',
        remedy: expired,
      },
      forged_form: {
        title: 'This form is not valid',
        what: 'The form was not sent from a page that was made for you in this browser.',
        remedy: expired,
      },
      too_many_attempts: {
        title: 'Too many attempts',
        what: 'Too many attempts were made in a short time, so further ones are not looked at for now.',
        remedy: 'If it was not you who tried, you need do nothing.',
      },
      unavailable: {
        title: 'Not available right now',
        what: 'This service cannot reach something that it needs. Nothing was changed.',
        remedy: 'Try again in a moment. If it stays like this, tell the people who run this service.',
      },
      server_error: {
        title: 'Something went wrong here',
        what: 'This service made a mistake. You did not.',
        remedy: 'Try again. If it stays like this, tell the people who run this service the reference below.',
      },
    },
    code: 'Error',
    id: 'Reference',
    detail: 'Detail',
  },
  account: {
    title: 'Your account',
    signedInAs: 'Signed in as',
    signOut: 'Sign out',
    apps: 'Connected apps',
    noApps: 'No app has access to your account.',
    returns: {
      web: (where) => html`At ${where}`,
      loopback: (where) => html`A program on your device (${where})`,
      app: (where) => html`An app on your device (${where})`,
    },
    noScopes: 'Knows that you have signed in; nothing more.',
    since: 'Since',
    lastUsed: 'Last used',
    never: 'Not yet',
    disconnect: (application) => html`Disconnect${spoken(html` ${application}`)}`,
    sessions: 'Where you are signed in',
    device: (browser, platform) => `${browser} on ${platform}`,
    unknownDevice: 'Unknown device',
    thisSession: 'this one',
    address: 'Address',
    signedIn: 'Signed in',
    lastSeen: 'Last seen',
    endSession: (device) => html`Sign out${spoken(html` ${device}`)}`,
    guesses: (count) =>
      count === 1
        ? 'One wrong password for your account was typed in another browser in the last day.'
        : `${count} wrong passwords for your account were typed in other browsers in the last day.`,
    closedUntil: (when) =>
      html`So new browsers cannot sign in until ${when}. Browsers that you have used here before can.`,
    everywhere: 'Lost a device, or not sure who has access?',
    everywhereMeans:
      'This signs you out on every device, this one too, and takes the access away that apps have now. They can ask for it again when you sign in.',
    signOutEverywhere: 'Sign out everywhere',
    done: {
      disconnected: 'The app is disconnected, and what it had been given works no more.',
      session_ended: 'That session has ended.',
    },
  },
  signedOut: {
    title: 'You are signed out',
    what: 'You are signed out in this browser. Connected apps keep their access.',
    everywhere: 'You are signed out on all devices, and no app has access to your account.',
    signIn: 'Sign in again',
  },
};
