import { clients, lifetimes, redirectUri, scope, subject } from '../grants.ts';

export const REALM = 'bench';
export const PASSWORD = 'correct horse battery staple';

/** What `--import-realm` reads: the clients, the scope and the user of every contender. */
export function realm(): object {
  const openid = { protocol: 'openid-connect' };
  const client = ({ id, secret }: { readonly id: string; readonly secret: string }, flows: object) => ({
    ...openid,
    clientId: id,
    secret,
    enabled: true,
    publicClient: false,
    standardFlowEnabled: false,
    defaultClientScopes: ['basic'],
    optionalClientScopes: [scope],
    ...flows,
  });
  return {
    realm: REALM,
    enabled: true,
    sslRequired: 'none',
    accessTokenLifespan: lifetimes.accessToken,
    accessCodeLifespan: lifetimes.code,
    ssoSessionIdleTimeout: lifetimes.refreshToken,
    ssoSessionMaxLifespan: lifetimes.refreshToken,
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    clientScopes: [
      { ...openid, name: 'basic', protocolMappers: [subjectMapper] },
      { ...openid, name: scope, attributes: { 'include.in.token.scope': 'true' } },
    ],
    clients: [
      client(clients.shop, { serviceAccountsEnabled: true }),
      client(clients.gateway, {}),
      client(clients.web, { standardFlowEnabled: true, redirectUris: [redirectUri] }),
    ],
    users: [
      {
        username: subject,
        enabled: true,
        email: 'alice@example.com',
        firstName: 'Alice',
        lastName: 'Example',
        credentials: [{ type: 'password', value: PASSWORD }],
      },
    ],
  };
}

const subjectMapper = {
  name: 'sub',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-sub-mapper',
  config: { 'access.token.claim': 'true', 'introspection.token.claim': 'true' },
};
