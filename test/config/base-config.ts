import { loadAuthorizationText, loadGatewayText, type Problem } from '../../src/config/load/load.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests write wrong configurations on purpose
export type Loose = any;

/** A valid gateway file as values. JSON is YAML, so a test changes the values and loads them as text. */
export function gatewayBase(): Loose {
  return {
    version: 1,
    authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
    upstreams: { orders: { url: 'http://127.0.0.1:9000' } },
    defaults: { upstream: 'orders' },
    routes: [{ match: { path: '/orders/{id}', methods: ['GET'] }, scope: 'orders.read' }],
  };
}

export function authorizationBase(): Loose {
  return {
    version: 1,
    issuer: 'https://auth.example.com',
    resources: ['https://api.example.com'],
    scopes: { 'orders.read': 'Read your orders' },
    clients: [{ client_id: 'shop', client_secret: 'shop-secret-of-tests', grant_types: ['client_credentials'] }],
  };
}

export function gatewayProblems(change: (config: Loose) => void): readonly string[] {
  const config = gatewayBase();
  change(config);
  const loaded = loadGatewayText(JSON.stringify(config), { file: 'test/config/gateway.yaml' });
  return (loaded.ok ? loaded.warnings : loaded.problems).map(inWords);
}

export function authorizationProblems(change: (config: Loose) => void): readonly string[] {
  const config = authorizationBase();
  change(config);
  const loaded = loadAuthorizationText(JSON.stringify(config));
  return (loaded.ok ? loaded.warnings : loaded.problems).map(inWords);
}

function inWords({ severity, message }: Problem): string {
  return `${severity}: ${message}`;
}
