// An application in a browser. Its page has loaded oidc-client-ts as `oidc`, and knows the settings.
/* global oidc, settings */
const manager = new oidc.UserManager({
  ...settings,
  response_type: 'code',
  loadUserInfo: true,
  filterProtocolClaims: false,
  automaticSilentRenew: false,
  userStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
});

const message = (error) => error.error ?? error.message;

globalThis.app = {
  discovered: () => manager.metadataService.getIssuer(),
  /** Leaves the page. */
  login: () => manager.signinRedirect({ nonce: crypto.randomUUID() }),
  /** At the redirect address. The claims of the ID token, with those of userinfo. */
  loggedIn: () => manager.signinRedirectCallback().then(({ profile }) => profile),
  loginFault: () => manager.signinRedirectCallback().then(() => undefined, message),
  /** The library refreshes with the refresh token, without a frame. */
  refresh: () => manager.signinSilent().then(({ profile }) => profile),
  user: () => manager.getUser().then((user) => user.toStorageString()),
  /** Leaves the page. */
  logOut: () => manager.signoutRedirect({ state: 'kept by the application' }),
  /** At the address after the logout. What the application kept. */
  loggedOut: () => manager.signoutRedirectCallback().then(({ userState }) => userState),
  refreshFault: async (user) => {
    await manager.storeUser(oidc.User.fromStorageString(user));
    return manager.signinSilent().then(() => undefined, message);
  },
};
