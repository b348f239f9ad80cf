import type { Sabotage } from './compiled-envoy.ts';

/** Wrong compiles, for each rule of the mapping. The comparison with the gateway must find each. */

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

/** The entries of the table that have this name, or its form for pages. */
function entriesOf(configuration: Part, name: string): Part[] {
  return routesOf(configuration).filter((route) => route.name === name || route.name === `${name} for pages`);
}

function providersOf(configuration: Part): Part {
  return filterOf(configuration, JWT).providers;
}

function filterOf(configuration: Part, wanted: string): Part {
  return manager(configuration).http_filters.find(({ name }: Part) => name === wanted).typed_config;
}

const JWT = 'envoy.filters.http.jwt_authn';

/** In place of the rules about tokens. */
const ANYONE = { anyone: { permissions: [{ any: true }], principals: [{ any: true }] } };

function accepting(configuration: Part, id: string, requirement: object): void {
  const { requirement_map } = filterOf(configuration, JWT);
  const { requirements } = requirement_map[id].requires_any ?? { requirements: [requirement_map[id]] };
  const others = requirements.filter((each: Part) => each.allow_missing === undefined);
  requirement_map[id] = { requires_any: { requirements: [...others, requirement] } };
  for (const { typed_per_filter_config } of entriesOf(configuration, id))
    typed_per_filter_config[ACCESS].rbac.rules.policies = ANYONE;
}

/** More requests reach the upstream, or they reach it changed. */
export const plantedFaults: Readonly<Record<string, Sabotage>> = {
  'an optional route accepts an invalid token': (configuration) =>
    accepting(configuration, 'maybe', { allow_missing_or_failed: {} }),
  'a route for every token accepts none': (configuration) => accepting(configuration, 'own', { allow_missing: {} }),
  'the issuer is not judged': (configuration) => {
    withoutRules((text) => /"payload_\d_\w+"},{"key":"iss"/.test(text))(configuration);
    for (const provider of Object.values(providersOf(configuration)) as Part[]) delete provider.issuer;
  },
  'the algorithm is not judged': withoutRules((text) => /"header_\d_\w+"},{"key":"alg"/.test(text)),
  'pages of every origin may use a route': (configuration) => {
    for (const { typed_per_filter_config } of entriesOf(configuration, 'page'))
      typed_per_filter_config['gatehouse.credential'].rbac.rules.policies = ANYONE;
  },
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
  // Of four routes, because the lists of all would take seconds to load.
  'routes share one list of policies': (configuration) => {
    const entries = ['order-new', 'order-one', 'secret', 'files'].flatMap((id) => entriesOf(configuration, id));
    const rules = entries.map((route) => route.typed_per_filter_config[ACCESS].rbac.rules);
    const policies = rules.flatMap((each, index) =>
      Object.entries(each.policies).map(([name, policy]) => [`${index} ${name}`, policy]),
    );
    for (const each of rules) each.policies = Object.fromEntries(policies);
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

/** The same requests reach the upstream, but clients get another answer, or requests are refused without a reason. */
export const plantedAnswers: Readonly<Record<string, Sabotage>> = {
  'a route has lost its requirement': (configuration) => {
    for (const { typed_per_filter_config } of entriesOf(configuration, 'order-one')) {
      delete typed_per_filter_config[JWT].requirement_name;
      typed_per_filter_config[JWT].disabled = true;
    }
  },
  'an optional route requires a token': (configuration) => {
    const { requirements } = filterOf(configuration, JWT).requirement_map.maybe.requires_any;
    requirements.pop();
  },
  'names with `_` pass': (configuration) => {
    delete manager(configuration).common_http_protocol_options.headers_with_underscores_action;
  },
  'pages of every origin may read answers': (configuration) => {
    const [host] = manager(configuration).route_config.virtual_hosts;
    const policy = host.typed_per_filter_config['envoy.filters.http.cors'];
    policy.allow_origin_string_match = [{ safe_regex: { regex: '.*' } }];
  },
  'pages of every origin may read own answers': (configuration) => {
    for (const route of routesOf(configuration))
      for (const header of route.name.endsWith(' for pages') ? route.match.headers : [])
        if (header.name === 'origin' && header.string_match) header.string_match = { safe_regex: { regex: '.*' } };
  },
  'pages get no answer to a preflight': (configuration) => {
    const table = routesOf(configuration);
    table.splice(table.indexOf(entriesOf(configuration, 'preflight')[0]), 1);
  },
  'caches keep one answer for all pages': (configuration) => {
    const { route_config } = manager(configuration);
    route_config.response_headers_to_add = route_config.response_headers_to_add.filter(
      ({ header }: Part) => header.key !== 'vary',
    );
  },
  'a refusal has the challenge of Envoy': (configuration) => {
    delete manager(configuration).local_reply_config;
  },
  'the challenge for a token without the scope is lost': (configuration) => {
    for (const mapper of manager(configuration).local_reply_config.mappers)
      if (mapper.status_code === 403) delete mapper.headers_to_add;
  },
  'the challenge names another document': (configuration) => {
    for (const { headers_to_add } of manager(configuration).local_reply_config.mappers)
      for (const { header } of headers_to_add ?? [])
        header.value = header.value.replace('api.example.com', 'a.example');
  },
  'the metadata document names another issuer': (configuration) => {
    for (const { direct_response, name } of routesOf(configuration))
      if (name.startsWith('document '))
        direct_response.body.inline_string = direct_response.body.inline_string.replace('partner', 'other');
  },
  'there is no metadata document': (configuration) => {
    const [host] = manager(configuration).route_config.virtual_hosts;
    host.routes = host.routes.filter(({ name }: Part) => !name.startsWith('document '));
  },
  'a refused method does not say which are allowed': (configuration) => {
    for (const route of routesOf(configuration))
      route.response_headers_to_add = route.response_headers_to_add?.filter(
        ({ header }: Part) => header.key !== 'allow',
      );
  },
};
