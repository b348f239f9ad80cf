import { openidScopes } from '../../../config/words/openid-scopes.ts';
import type { Plural } from './plural.ts';

/** Where the name of an application comes from, if no operator has checked it. */
const origins = {
  document: 'This name comes from {host}, and this service has not checked it.',
  itself: 'The application chose this name itself, and this service has not checked it.',
};

const expired = 'Go back to the application and start again. This site needs cookies.';

const guesses: Plural = {
  one: 'Someone entered a wrong password for your account in another browser in the last 24 hours.',
  other: 'Other browsers sent {count} wrong passwords for your account in the last 24 hours.',
};

/**
 * All texts of the pages, in English. Every language has a file like this one. The pages replace a name in braces. A text may
 * have its names in any order.
 */
export const english = {
  /** BCP 47. The pages also write dates and numbers in this language. */
  lang: 'en',
  /** `ltr` or `rtl`. */
  dir: 'ltr',
  /** The name of the language, in the language. */
  name: 'English',
  /** Prefix of the title after an error. */
  failed: 'Error: ',
  wait: 'Wait {time}, then try again.',
  /** When the user's last action took effect. */
  inEffect: 'This took effect at {when}.',
  /** What the scopes of OpenID Connect allow. The operator writes the texts of all other scopes. */
  scopes: { ...openidScopes },
  login: {
    title: 'Sign in',
    asks: '{application} asks you to sign in.',
    returns: {
      web: 'You then return to {where}.',
      loopback: 'You then return to a program on this device ({where}).',
      app: 'You then return to an app on this device ({where}).',
    },
    /** Does not name the other account, because anyone may ask for any account. */
    notThisUser:
      'You are signed in as {person}, but the application asks for a different user. Sign in as that user, or go back to the application.',
    origins,
    username: 'Username',
    password: 'Password',
    show: 'Show password',
    hide: 'Hide password',
    submit: 'Sign in',
    refused: 'The username or password is wrong.',
    throttled: 'Too many attempts. {wait}',
  },
  consent: {
    title: 'Allow {application}?',
    heading: '{application} asks for access to your account',
    signedInAs: 'Signed in as',
    notYou: 'Not you?',
    scopes: 'This lets {application}:',
    noScopes: 'It only wants to know that you have signed in.',
    before: 'allowed before',
    returns: {
      web: 'Your answer goes to {where}.',
      loopback:
        'Your answer goes to a program on this device ({where}). Allow access only if you just started the program yourself.',
      app: 'Your answer goes to an app on this device ({where}). Allow access only if you just started the app yourself.',
    },
    origins,
    anyProgram:
      'Any program on this device can claim to be this application. Deny the request, unless you just started the application yourself.',
    deny: 'Deny',
    allow: 'Allow',
    nothingTicked: 'You selected nothing. Select what you want to allow, or deny the request.',
    takeBack: 'You can withdraw this access at any time:',
    account: 'Connected apps',
  },
  error: {
    /** `remedy`: the user's next step. */
    kinds: {
      unknown_client: {
        title: 'Unknown application',
        what: 'The application that sent you here is not registered with this service.',
        remedy: 'Close this page. If you trust the application, report this problem to its operator.',
      },
      invalid_client_document: {
        title: 'We cannot identify this application',
        what: 'The application that sent you here describes itself at its own address. This service cannot accept the description.',
        remedy: 'Close this page. If you trust the application, report the detail below to its operator.',
      },
      invalid_client_host: {
        title: 'We cannot reach this application',
        what: 'The application that sent you here describes itself at its own address, and this address does not answer.',
        remedy: 'Try again in a minute. If the problem remains, report it to the operator of the application.',
      },
      redirect_refused: {
        title: 'We cannot return you safely',
        what: 'The application gave a return address that it has not registered. We did not send you there.',
        remedy: 'Close this page. If you trust the application, report this problem to its operator.',
      },
      bad_request: {
        title: 'We cannot read this request',
        what: 'The link or form that brought you here is damaged or incomplete.',
        remedy: 'Go back to the application and start again.',
      },
      expired_transaction: {
        title: 'This page has expired',
        what: 'You waited too long, or already answered this page.',
        remedy: expired,
      },
      forged_form: {
        title: 'This form is not valid',
        what: 'The form did not come from a page that this browser opened here.',
        remedy: expired,
      },
      too_many_attempts: {
        title: 'Too many attempts',
        what: 'There were too many attempts in a short time. New attempts are blocked for now.',
        remedy: 'If you did not make these attempts, you need not do anything.',
      },
      not_found: {
        title: 'No page here',
        what: 'This service has no page at this address.',
        remedy: 'Check the address, or go to your account.',
      },
      for_programs: {
        title: 'For programs only',
        what: 'Programs send requests to this address. A browser cannot open it.',
        remedy: 'Go back, or go to your account.',
      },
      unavailable: {
        title: 'Not available right now',
        what: 'A system that this service needs is unavailable. Nothing was changed.',
        remedy: 'Try again in a moment. If the problem remains, report it to the operator of this service.',
      },
      server_error: {
        title: 'Something went wrong here',
        what: 'This service failed. You did nothing wrong.',
        remedy: 'Try again. If the problem remains, send the reference below to the operator of this service.',
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
      web: 'At {where}',
      loopback: 'A program on your device ({where})',
      app: 'An app on your device ({where})',
    },
    origins,
    noScopes: 'It only knows that you have signed in.',
    since: 'Since',
    lastUsed: 'Last used',
    never: 'Not yet',
    /** Screen readers read the name of the app after it. */
    disconnect: 'Disconnect',
    sessions: 'Where you are signed in',
    device: '{browser} on {platform}',
    unknownDevice: 'Unknown device',
    thisSession: 'this browser',
    address: 'Address',
    sameNetwork: 'same network as this browser',
    signedIn: 'Signed in',
    lastSeen: 'Last seen',
    /** Screen readers read the name of the device after it. */
    endSession: 'Sign out',
    guesses,
    closedUntil:
      'So new browsers cannot sign in until {when}. Browsers that you have used here before can still sign in.',
    everywhere: 'Lost a device, or not sure who has access?',
    everywhereMeans:
      'This signs you out on every device, including this one. All apps lose their access. They can ask again when you sign in.',
    signOutEverywhere: 'Sign out everywhere',
    done: {
      disconnected: 'The app is disconnected and has lost its access.',
      session_ended: 'That session has ended.',
    },
  },
  formPost: { title: 'Back to the application', go: 'Continue' },
  logout: {
    title: 'Sign out?',
    asks: '{application} asks you to sign out.',
    means: 'This also signs you out of the apps where you used this account in this browser.',
    submit: 'Sign out',
    stay: 'Stay signed in',
  },
  signedOut: {
    title: 'You are signed out',
    what: 'You are signed out in this browser. Connected apps keep their access.',
    withClients: 'You are signed out in this browser, and in the apps that used this sign-in.',
    everywhere: 'You are signed out on all devices, and no app has access to your account.',
    signIn: 'Sign in again',
  },
};
