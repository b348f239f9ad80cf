// A contender: oidc-provider with its defaults, in memory. PORT is where it serves. CODES is where it creates codes for
// the bench.
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import LRU from 'oidc-provider/lib/helpers/lru.js';
import { challenge, clients, lifetimes, redirectUri, scope, subject } from './grants.ts';

/** Its default keeps only a thousand or two, and would forget codes and tokens that are still needed. */
const ENTRIES = 200_000;

const { PORT = '', CODES = '' } = process.env;
const provider = new Provider(`http://127.0.0.1:${PORT}`, configuration());

listen(PORT, provider.callback());
listen(CODES, async (request, response) => {
  const count = Number(await text(request));
  response.end((await makeCodes(count)).join('\n'));
});

function listen(port: string, serve: RequestListener): void {
  createServer({ keepAliveTimeout: 75_000 }, serve).listen(Number(port), '127.0.0.1');
}

function configuration(): object {
  const store = new LRU({ maxSize: ENTRIES });
  const none = { grant_types: [], redirect_uris: [], response_types: [] };
  const [shop, gateway, web] = [clients.shop, clients.gateway, clients.web].map(({ id, secret }) => ({
    client_id: id,
    client_secret: secret,
    scope,
  }));
  return {
    adapter: (model: string) => new MemoryAdapter(model, store),
    cookies: { keys: ['cookies-of-the-benchmark'] },
    scopes: ['orders.read', 'orders.write'],
    clients: [
      { ...none, ...shop, grant_types: ['client_credentials'] },
      { ...none, ...gateway },
      { ...web, redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'] },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: { enabled: false },
    },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      ClientCredentials: lifetimes.accessToken,
      Grant: lifetimes.refreshToken,
      RefreshToken: lifetimes.refreshToken,
    },
  };
}

/** As its pages would after a login and a consent. */
async function makeCodes(count: number): Promise<string[]> {
  const client = await provider.Client.find(clients.web.id);
  const codes: string[] = [];
  while (codes.length < count) codes.push(await makeCode(client));
  return codes;
}

async function makeCode(client: unknown): Promise<string> {
  const grant = new provider.Grant({ accountId: subject, clientId: clients.web.id });
  grant.addOIDCScope(scope);
  return new provider.AuthorizationCode({
    accountId: subject,
    authTime: Math.floor(Date.now() / 1000),
    client,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
    grantId: await grant.save(),
    gty: 'authorization_code',
    redirectUri,
    scope,
  }).save();
}
