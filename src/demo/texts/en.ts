/**
 * All texts of the client page, in English. Every language has a file like this one. A name in braces is a value, and keeps
 * its place in each language.
 */
export const demoEnglish = {
  /** BCP 47. */
  lang: 'en',
  /** The texts of the document. */
  document: {
    site: 'Gatehouse demo',
    title: 'A page that calls the API',
    intro:
      'This page is a public client: it has no secret. It gets a token with an authorization code and PKCE, and keeps the token in memory until you close the page.',
    gone: 'You are signed out. The session and its tokens have ended, so the gateway now refuses the token of this page. The next sign-in asks for the password.',
    begin: 'Sign in as {user} with the password {password}. Leave out a scope if you like.',
    signIn: 'Sign in',
    signedIn: 'Signed in as',
    facts: 'subject {sub}, scope {scope}',
    signOut: 'Sign out',
    way: 'The way to a token',
    steps: {
      redirect: { name: 'Redirect', text: 'The page sends your browser to the authorization service.' },
      consent: { name: 'Consent', text: 'You sign in there, and select what the page may do.' },
      code: { name: 'Code', text: 'Your browser returns with a code. It works once, and only for this page.' },
      token: { name: 'Token', text: 'The page exchanges the code for an access token and an ID token.' },
      api: { name: 'API', text: 'The gateway checks the token and its scope, and forwards the request.' },
    },
    api: 'The API, through the gateway',
    calls: {
      read: 'with the token; needs {scope}',
      anonymous: 'without a token',
      admin: 'needs {scope}, which this page never gets',
      write: 'needs {scope}',
    },
    answer: 'The answer of the API',
  },
  /** The texts of the script. */
  script: {
    /** The states of a step, so that no one needs to see a color. */
    states: { now: 'now', done: 'done', failed: 'failed' },
    asked: 'The page requests {scope}, with the state {state} and a code challenge.',
    answered: 'The answer has the same state, and comes from {issuer}.',
    code: '{code} It is no longer in the address.',
    token: '{token} It is valid for {seconds} seconds. The ID token is for {sub}.',
    status: 'The last answer has the status {status}.',
    meanings: {
      200: 'The token has the scope, so the API answered.',
      204: 'The API has completed the request.',
      401: 'The gateway accepted no credentials, so it did not forward the request.',
      403: 'The token is valid but lacks a scope, so the gateway did not forward the request.',
    },
    noBody: 'The answer has no body.',
    faults: {
      audience: 'The ID token is for another client.',
      nonce: 'The ID token belongs to another sign-in: its nonce differs.',
      expired: 'The ID token has expired.',
      signOut: 'This answer does not belong to a sign-out of this page: its state differs.',
      state: 'This answer does not belong to a request of this page: its state differs.',
      issuer: 'This answer is not from the authorization service: its iss differs.',
      type: 'A token of an unknown type: {type}',
      metadata: 'The metadata belong to {issuer}.',
    },
  },
};
