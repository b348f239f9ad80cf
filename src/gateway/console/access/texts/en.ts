const log = 'The log of the gateway has the reason.';

/**
 * All texts of the pages before and after a login, in English. Every language has a file like this one. The texts contain
 * nothing of the request, so a link cannot put a text of its own on a page.
 */
export const loginEnglish = {
  /** BCP 47. */
  lang: 'en',
  again: 'Log in again',
  arrived: { title: 'You are logged in', text: 'The console opens.', link: 'Open the console' },
  needed: { title: 'You have to log in', text: 'The login opens.', link: 'Log in' },
  loggedOut: {
    title: 'You are logged out of the console',
    text: 'You may still be logged in at the authorization server.',
  },
  /** Why a login did not succeed. */
  faults: {
    state: {
      title: 'This answer does not belong to a login in progress',
      text: 'The login began in another browser or at another address of the console, has already ended, or took longer than ten minutes. Some browsers do not keep cookies of an http address. In such a browser, open the console over https.',
    },
    issuer: {
      title: 'The answer came from another server',
      text: 'The answer does not name the authorization server of this gateway. So the gateway did not use the answer.',
    },
    denied: {
      title: 'The authorization server refused the login',
      text: 'You or the server denied the access. Log in again and allow the access, or ask the operator of the server.',
    },
    scope: {
      title: 'You may not use this console',
      text: 'You are logged in, but your account did not get the scope that this console needs. Ask the operator of the authorization server for this scope.',
    },
    user: {
      title: 'You may not use this console',
      text: 'You are logged in, but your account is not in the list of users of this console.',
    },
    token: { title: 'The gateway could not verify the login', text: log },
    server: {
      title: 'The authorization server issued no token',
      text: `${log} Check the client, its secret and its redirect address.`,
    },
    outage: { title: 'The authorization server does not answer', text: `Log in again later. ${log}` },
  },
};
