import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { AssumedToken } from '../../config/schema/test-case.ts';
import type { Route } from '../decide/route.ts';
import { assumedVerifier } from '../explain/assumed.ts';
import type { AssumedUser } from '../explain/assumed-schemes.ts';
import { buildDryEngine, type DryEngine, type LocatedConfig } from '../explain/dry-engine.ts';
import { type SimulatedOutcome, simulate } from '../explain/simulate.ts';
import type { SimulatedRequest } from '../explain/simulated-request.ts';

/** One of the two files, compiled for requests. Its `when` conditions count as true. */
export interface CompiledFile {
  readonly config: GatewayConfig;
  readonly routes: readonly Route[];
  /** The route with this id. */
  named(id: string | undefined): Route | undefined;
  ask(asked: SimulatedRequest, token?: TokenOfIssuer): Promise<SimulatedOutcome>;
  askAs(asked: SimulatedRequest, user: UserOfScheme): Promise<SimulatedOutcome>;
  /** The route as the file has it, with `when`. Undefined: the path has no route. */
  written(route: Route | undefined): RouteConfig | undefined;
}

/** A user of a scheme other than bearer tokens, whose credential counts as correct. */
export interface UserOfScheme {
  readonly scheme: string;
  /** The realm and the place of the users. A route passes only users of its own. */
  readonly whose: string;
  readonly name: string;
  /** Undefined: what the file says about this user. */
  readonly assumed?: AssumedUser | undefined;
}

/** The same server may have another name in the other file, so the issuer identifies it. */
export type TokenOfIssuer = Omit<AssumedToken, 'server'> & { readonly issuer: string };

const TOKEN = 'assumed';
const NO_SERVER = '';

export function compileFile({ config, locate }: LocatedConfig): CompiledFile {
  const tokens = new Map<string, AssumedToken>();
  const bare = withoutWhen(config);
  const users = new Map<string, AssumedUser>();
  const located = { config: bare, ...(locate && { locate }) };
  const dry: DryEngine = buildDryEngine(located, assumedVerifier(bare, tokens), { users });
  // By id, because each rule of an `mcp` route leads to a route of its own.
  const files = new Map(dry.routes.map(({ id }, index) => [id, config.routes[index]]));
  const byId = new Map<string | undefined, Route>(dry.routes.map((route) => [route.id, route]));
  const names = new Map(Object.entries(config.authorization_servers).map(([name, { issuer }]) => [issuer, name]));
  return {
    config,
    routes: dry.routes,
    named: (id) => byId.get(id),
    ask(asked, token) {
      if (token === undefined) return simulate(dry.engine, asked);
      const { issuer, ...said } = token;
      tokens.set(TOKEN, { ...said, server: names.get(issuer) ?? NO_SERVER });
      return simulate(dry.engine, { ...asked, token: TOKEN });
    },
    askAs(asked, { scheme, name, assumed }) {
      users.clear();
      if (assumed !== undefined) users.set(name, assumed);
      // Over TLS, because Basic accepts no password without it.
      return simulate(dry.engine, { ...asked, user: name, scheme, secure: true });
    },
    written: (route) => (route === undefined ? undefined : files.get(route.id)),
  };
}

function withoutWhen(config: GatewayConfig): GatewayConfig {
  return { ...config, routes: config.routes.map(({ when: _when, ...route }) => route) };
}
