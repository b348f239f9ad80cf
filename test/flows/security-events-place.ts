import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { openTab, type Tab } from '../authorization/browser/walk.ts';
import { loggedInAt } from '../authorization/openid/provider.ts';
import { passwordHash, requests } from '../authorization/running-service.ts';
import { ready, type ServiceProcess, spawnService } from '../authorization/service-process.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { watchedWay } from '../support/watched-way.ts';
import { witness } from '../support/witness.ts';
import { asked, eventually, type Followed } from './revoked.ts';

const PUSH = 'Bearer a-secret-for-pushed-events';
const AUDIENCE = 'https://edge.example.com';
export const REVOKED = '401 token_revoked';
const secret = 'cs_rp-secret-of-32-bytes-or-more!';
export const key = randomBytes(32).toString('base64');

const text = (port: number, receiver: number) => `version: 1
issuer: http://127.0.0.1:${port}
listen: 127.0.0.1:${port}
storage: sqlite:gatehouse.db
encryption_keys: ['${key}']
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
openid: { enabled: true }
outbound: { private_addresses: [127.0.0.0/8], timeout: 500ms }
security_events:
  receivers:
    - { id: edge, url: 'http://127.0.0.1:${receiver}/security-events/main', audience: '${AUDIENCE}', authorization: ${PUSH} }
clients:
  - { client_id: rp, client_secret: ${secret}, scope: openid orders.read, grant_types: [authorization_code], redirect_uris: ['https://shop.example.com/callback'], access_token_format: jwt }
  - { client_id: phone, client_secret: ${secret}, scope: orders.read, grant_types: [password], access_token_format: jwt }
users:
  - { username: alice, password_argon2: '${passwordHash('wonderland')}' }
`;

export interface Place {
  readonly gateway: Followed;
  readonly way: Awaited<ReturnType<typeof watchedWay>>;
  /** The tokens that the service has pushed, in this order. */
  readonly pushed: string[];
  readonly directory: string;
  readonly url: string;
  start(): Promise<ServiceProcess>;
  login(): Promise<{ tab: Tab; token: string; logout(): Promise<unknown> }>;
  phone(username: string, password: string): Promise<string>;
}

/** The service in its process, and our gateway, which verifies JWTs and has no feed. */
export async function place(t: Test): Promise<Place> {
  const [directory, port] = [temporaryFolder(t), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const main = {
    issuer: url,
    verify: 'jwt',
    jwks_uri: `${url}/oauth2/jwks`,
    audience: 'https://api.example.com',
    events: 'none',
    security_events: { audiences: [AUDIENCE], push: { authorization: PUSH } },
  };
  const upstream = await witness(t);
  const file = { authorization_servers: { main }, receiver: { listen: '127.0.0.1:0' }, health: '127.0.0.1:0' };
  const running = asked(await gateway(t, behind(upstream.url, file)));
  const pushed: string[] = [];
  const way = await watchedWay(t, Number(new URL(running.receiverUrl ?? '').port), (request) => {
    pushed.push(...(request.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? []));
  });
  const configFile = join(directory, 'authorization.yaml');
  writeFileSync(configFile, text(port, way.port));
  const { post } = requests(url);
  return {
    gateway: running,
    way,
    pushed,
    directory,
    url,
    async start() {
      const service = spawnService(t, configFile);
      await ready(service);
      // For a second after a failed fetch of keys, the gateway does not fetch them again.
      t.ok(await eventually(async () => (await fetch(`${running.healthUrl}/readyz`)).ok));
      return service;
    },
    async login() {
      const tab = openTab({ url });
      const { access_token: token, id_token } = await loggedInAt({ post }, tab, 'openid orders.read');
      return { tab, token, logout: () => tab.get(`/oauth2/logout?id_token_hint=${id_token}`) };
    },
    async phone(username, password) {
      const form = { grant_type: 'password', client_id: 'phone', client_secret: secret, username, password };
      const answer = (await (await post('/oauth2/token', form)).json()) as { access_token: string };
      return answer.access_token;
    },
  };
}

export const refused = ({ gateway }: Place, token: string) =>
  eventually(async () => (await gateway.said(token)) === REVOKED);
