import type { Sabotage } from './compiled-envoy.ts';

/** Wrong compiles, one for each rule of the mapping. The comparison with the gateway must find each. */

// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
type Part = any;

function manager(configuration: Part): Part {
  return configuration.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
}

function routesOf(configuration: Part): Part[] {
  return manager(configuration).route_config.virtual_hosts[0].routes;
}

/** Calls `visit` with each object below, the innermost first. */
function each(part: Part, visit: (object: Part) => void): void {
  if (typeof part !== 'object' || part === null) return;
  for (const inner of Object.values(part)) each(inner, visit);
  if (!Array.isArray(part)) visit(part);
}

/** The rules about tokens, in each list where all must hold. */
function withoutRules(isRule: (text: string) => boolean): Sabotage {
  return (configuration) =>
    each(routesOf(configuration), (object) => {
      if (!Array.isArray(object.ids)) return;
      const left = object.ids.filter((rule: Part) => !isRule(JSON.stringify(rule)));
      object.ids = left.length === 0 ? [{ any: true }] : left;
    });
}

function scopesMatchedBy(kind: 'prefix' | 'suffix' | 'contains'): Sabotage {
  return (configuration) =>
    each(routesOf(configuration), (object) => {
      const match = object.list_match?.one_of?.string_match;
      if (match?.exact !== undefined) object.list_match.one_of.string_match = { [kind]: match.exact };
    });
}

function withoutFilter(name: string): Sabotage {
  return (configuration) => {
    const { http_filters } = manager(configuration);
    manager(configuration).http_filters = http_filters.filter((filter: Part) => filter.name !== name);
    for (const route of routesOf(configuration)) delete route.typed_per_filter_config?.[name];
  };
}

function withoutGuard(policy: string): Sabotage {
  return (configuration) => {
    const guard = manager(configuration).http_filters.find(({ name }: Part) => name === 'gatehouse.guard');
    delete guard.typed_config.rules.policies[policy];
  };
}

const ACCESS = 'gatehouse.access';

export const plantedFaults: Readonly<Record<string, Sabotage>> = {
  'a scope matches by its beginning': scopesMatchedBy('prefix'),
  'a scope matches by a part': scopesMatchedBy('contains'),
  'scopes are not split': (configuration) => {
    each(manager(configuration).http_filters, (object) => delete object.normalize_payload_in_metadata);
    each(routesOf(configuration), (object) => {
      const exact = object.list_match?.one_of?.string_match?.exact;
      if (exact !== undefined)
        object.or_match = {
          value_matchers: [{ string_match: { contains: exact } }, { list_match: object.list_match }],
        };
      if (exact !== undefined) delete object.list_match;
    });
  },
  'the type of a token is not judged': withoutRules((text) => /"header_\d_main"},{"key":"typ"/.test(text)),
  'parameters with keys are not judged': withoutRules((text) => /"header_\d_main"},{"key":"jku"/.test(text)),
  'the audience is left to jwt_authn': (configuration) => {
    withoutRules((text) => /"payload_\d_main"},{"key":"aud"/.test(text))(configuration);
    each(manager(configuration).http_filters, (object) => {
      if (object.issuer !== undefined) object.audiences = ['https://api.example.com'];
    });
  },
  'a bound token is a bearer token': withoutRules((text) => /"key":"cnf"/.test(text)),
  'a logout token is an access token': withoutRules((text) => /"key":"events"/.test(text)),
  'a claim is not judged': withoutRules((text) => /"key":"tenant"/.test(text)),
  'the lifetime of a token is not judged': (configuration) =>
    each(routesOf(configuration), (object) => delete object.condition),
  'the proxy normalizes the path': (configuration) => {
    manager(configuration).normalize_path = true;
  },
  'any path passes the guard': withoutGuard('path'),
  'any host passes the guard': withoutGuard('host'),
  'any form of a credential passes': withoutFilter('gatehouse.credential'),
  'the order of the routes is reversed': (configuration) => {
    const table = routesOf(configuration);
    const last = table.pop();
    table.reverse();
    table.push(last);
  },
  'all routes share one list of policies': (configuration) => {
    const lists = routesOf(configuration).map(
      (route) => route.typed_per_filter_config?.[ACCESS]?.rbac?.rules?.policies,
    );
    const all = Object.fromEntries(
      lists.flatMap((policies, index) =>
        Object.entries(policies ?? {}).map(([name, policy]) => [`${index} ${name}`, policy]),
      ),
    );
    for (const route of routesOf(configuration)) {
      const rbac = route.typed_per_filter_config?.[ACCESS]?.rbac;
      if (rbac !== undefined) rbac.rules.policies = all;
    }
  },
  'the identity headers of a client pass': (configuration) => {
    delete manager(configuration).early_header_mutation_extensions;
  },
  'the token reaches the upstream': (configuration) =>
    each(manager(configuration).http_filters, (object) => {
      if (object.issuer !== undefined) object.forward = true;
    }),
  'a route accepts every method': (configuration) => {
    for (const { match } of routesOf(configuration))
      if (match.headers !== undefined) match.headers = match.headers.filter(({ name }: Part) => name !== ':method');
  },
};
