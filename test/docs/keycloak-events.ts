import type { Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import type { Keycloak } from '../support/keycloak.ts';
import { witness } from '../support/witness.ts';

const REALM = 'events';
const SECRET = 'secret-of-receiver';
const PUSH = 'Bearer a-token-for-pushed-events';
const users = ['alice', 'bob', 'carol', 'dave'];

/** A realm that sends security events, with users and cheap hashes of their passwords. */
export async function eventRealm({ admin }: Keycloak): Promise<void> {
  await admin('POST', '', {
    realm: REALM,
    enabled: true,
    accessTokenLifespan: 3_600,
    passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
    attributes: { 'ssf.transmitterEnabled': 'true' },
  });
  for (const username of users)
    await admin('POST', `/${REALM}/users`, {
      username,
      enabled: true,
      ...{ firstName: 'A', lastName: 'L', email: `${username}@example.com`, emailVerified: true },
      credentials: [{ type: 'password', value: 'wonderland' }],
    });
}

type Way = 'push' | 'poll';
const methods: Readonly<Record<Way, string>> = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' };
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';

/** A gateway that gets the events of the realm in this way, as a client of Keycloak. */
export async function follower(t: Test, server: Keycloak, way: Way): Promise<TestGateway> {
  const port = await freePort();
  const clientId = `gateway-${way}`;
  await server.admin('POST', `/${REALM}/clients`, {
    clientId,
    secret: SECRET,
    publicClient: false,
    serviceAccountsEnabled: true,
    directAccessGrantsEnabled: true,
    defaultClientScopes: ['basic', 'roles', 'ssf.read', 'ssf.manage'],
    attributes: {
      'ssf.enabled': 'true',
      'ssf.defaultSubjects': 'ALL',
      'ssf.validPushUrls': `http://127.0.0.1:${port}/*`,
    },
  });
  const pushed = { endpoint_url: `http://127.0.0.1:${port}/security-events/keycloak`, authorization_header: PUSH };
  const stream = await server.admin('POST', `/${REALM}/ssf/clients/${clientId}/stream`, {
    delivery: { method: methods[way], ...(way === 'push' && pushed) },
    events_requested: [`${CAEP}session-revoked`, `${CAEP}credential-change`],
  });
  const { streamId, audience } = (await stream.json()) as { streamId: string; audience: readonly string[] };
  const ways = {
    push: async () => ({ push: { authorization: PUSH } }),
    poll: async () => {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: SECRET };
      const { access_token } = await server.token(REALM, form);
      const url = `${server.url}/realms/${REALM}/ssf/transmitter/receivers/${clientId}/streams/${streamId}/poll`;
      return { poll: { url, authorization: `Bearer ${access_token}` } };
    },
  };
  const keycloak = {
    issuer: `${server.url}/realms/${REALM}`,
    audience: 'account',
    algorithms: ['RS256'],
    typ: ['JWT'],
    required_claims: { typ: ['Bearer'] },
    security_events: { audiences: audience, ...(await ways[way]()) },
  };
  const upstream = await witness(t);
  const file = {
    authorization_servers: { keycloak },
    routes: [{ id: 'orders', match: { path: '/orders/{rest*}' }, access: 'authenticated' }],
    development: true,
    ...(way === 'push' && { receiver: { listen: `127.0.0.1:${port}` } }),
  };
  return gateway(t, behind(upstream.url, file));
}

export interface Session {
  readonly token: string;
  /** As an application does for its user. */
  end(): Promise<unknown>;
}

export async function session(server: Keycloak, username: string): Promise<Session> {
  const client = { client_id: 'gateway-push', client_secret: SECRET };
  const form = { grant_type: 'password', ...client, username, password: 'wonderland' };
  const { access_token, refresh_token = '' } = await server.token(REALM, form);
  const body = new URLSearchParams({ ...client, refresh_token });
  const url = `${server.url}/realms/${REALM}/protocol/openid-connect/logout`;
  return { token: access_token, end: () => fetch(url, { method: 'POST', body }) };
}

/** What an administrator does. */
export async function administrator({ admin }: Keycloak) {
  const found = (await (await admin('GET', `/${REALM}/users`)).json()) as { id: string; username: string }[];
  const idOf = (username: string) => found.find((each) => each.username === username)?.id;
  return {
    logOut: (username: string) => admin('POST', `/${REALM}/users/${idOf(username)}/logout`),
    resetPassword: (username: string) =>
      admin('PUT', `/${REALM}/users/${idOf(username)}/reset-password`, { type: 'password', value: 'looking-glass' }),
  };
}
