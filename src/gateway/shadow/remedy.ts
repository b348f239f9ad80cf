import { schemes } from '../../config/schemes/table.ts';
import { comment, scalar, yamlList } from '../../config/words/yaml-text.ts';
import { differentKeys, type KeysSeen, merged as mergedKeys } from './keys-seen.ts';
import { area, type Group } from './report.ts';

/** YAML, route by route, that would let the requests of the groups pass. */
export function remedies(groups: readonly Group[]): string {
  const byRoute = Map.groupBy(groups, ({ route }) => route);
  const blocks = [...byRoute].map(([route, ofRoute]) =>
    route === undefined ? unrouted(ofRoute) : routed(route, ofRoute),
  );
  return ['routes:', ...blocks.flat()].map((line) => `${line}\n`).join('');
}

function routed(route: string, groups: readonly Group[]): readonly string[] {
  const scoped = groups.filter(({ code }) => code === 'scope_insufficient');
  const others = groups.filter(({ code }) => code !== 'scope_insufficient');
  const isCall = ({ operation }: Group) => operation !== undefined;
  const plain = scoped.filter((group) => !isCall(group));
  const lines = [...scopeLines(plain), ...callLines(scoped.filter(isCall)), ...otherLines(others)];
  return [`  - id: ${scalar(route)}`, ...lines.map((line) => `    ${line}`)];
}

/** One more alternative for each client, with all its scopes. So the route opens only for callers with these scopes. */
function scopeLines(groups: readonly Group[]): readonly string[] {
  const alternatives = alternativesOf(groups);
  return alternatives === undefined ? toldOf(groups) : [...toldOf(groups), `scope: ${alternatives}`];
}

/** The same for messages of an `mcp` route, where each operation has its own requirement. */
function callLines(groups: readonly Group[]): readonly string[] {
  const byOperation = [...Map.groupBy(groups, ({ operation = '' }) => operation)];
  const lines = byOperation.flatMap(([operation, ofOne]) => {
    const alternatives = alternativesOf(ofOne);
    const entry = alternatives === undefined ? [] : [`${scalar(operation)}: ${alternatives}`];
    return [...toldOf(ofOne).map((line) => `${line} (${comment(operation).trim()})`), ...entry];
  });
  return lines.length === 0 ? [] : ['mcp:', '  scope:', ...lines.map((line) => `    ${line}`)];
}

function toldOf(groups: readonly Group[]): readonly string[] {
  return groups.map((group) => {
    const { client, count, missing, held } = group;
    const who = comment(client ?? 'a client without a name');
    const has = held.length === 0 ? 'holds no scope' : `holds ${comment(held.join(' '))}`;
    const grant = (whom: string) => `grant ${whom} ${comment(missing ?? 'the scope')} at its authorization server`;
    const instead = held.length === 0 ? '' : 'instead of the new `scope`, you can ';
    const but = isWeaker(group)
      ? `the new \`scope\` no longer requires ${comment(missing ?? '')}; better: ${grant('the client')}`
      : `${instead}${grant('it')}`;
    return `# ${who} ${has} (${times(count)}); ${but}`;
  });
}

/**
 * Whether the client has only a part of the scopes that are required now. As an alternative, this part would be enough,
 * so the rest would no longer be required.
 */
function isWeaker({ held, needed }: Group): boolean {
  const isPart = (required: string) => held.every((scope) => required.split(' ').includes(scope));
  return held.length > 0 && needed.some(isPart);
}

/** Undefined: no client has a scope that could be an alternative. */
function alternativesOf(groups: readonly Group[]): string | undefined {
  const held = groups.map((group) => group.held.join(' ')).filter((scope) => scope !== '');
  if (held.length === 0) return undefined;
  const alternatives = new Set([...groups.flatMap(({ needed }) => needed), ...held]);
  return `{ any_of: ${yamlList(alternatives)} }`;
}

type Remedy = (group: Group) => readonly string[];

/** One hint for all groups of a route with the same remedy, from whichever callers. */
function otherLines(groups: readonly Group[]): readonly string[] {
  const byRemedy = Map.groupBy(groups, ({ code, seen, reason, client, keys }) =>
    JSON.stringify([
      code,
      kindOf(seen),
      keys?.in,
      keys?.name,
      Object.hasOwn(byCode, code) ? ofServer(code, reason) : client,
    ]),
  );
  return [...byRemedy.values()].flatMap(linesFor);
}

const REASONED: ReadonlySet<string> = new Set(['token_malformed', 'rate_limited', 'origin_refused']);

/** The reason matters only for these codes. For other codes, all requests have one remedy. */
function ofServer(code: string, reason: string | undefined): string | undefined {
  return REASONED.has(code) || code.endsWith('_unavailable') ? reason : undefined;
}

function linesFor(groups: readonly Group[]): readonly string[] {
  const [first] = groups;
  if (first === undefined) return [];
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const found = [...new Set(groups.flatMap(({ found }) => found ?? []))].slice(0, 3).join(', ');
  const keys = mergedKeys(groups.flatMap((group) => group.keys ?? []));
  const merged = { ...first, count, keys, ...(found !== '' && { found }) };
  const remedy = Object.hasOwn(byCode, first.code) ? byCode[first.code] : undefined;
  return remedy?.(merged) ?? [hopeless(merged)];
}

/** The credential that a route could accept instead of a token: a scheme, or a token in the query. */
function kindOf(seen: readonly string[]): string | undefined {
  return seen.find((kind) => kind === 'query' || schemes.some((row) => row.name === kind && !('places' in row)));
}

function withScheme(scheme: string, { count }: Group): readonly string[] {
  return [
    `# ${times(count)} with ${scheme}: let the route accept it too, or give these callers tokens`,
    `# auth: { any_of: [bearer, ${scheme}] }`,
    `# ${scheme}: { users: FILE }`,
  ];
}

function withKeys(keys: KeysSeen, { count }: Group): readonly string[] {
  const different = differentKeys(keys);
  const name = comment(keys.name);
  return [
    `# ${times(count)} with ${name}, at least ${different} different ${different === 1 ? 'value' : 'values'}: if these are API keys,`,
    '# import them with `gatehouse api-key import`, and let the route read them:',
    '# auth: { any_of: [bearer, api_key] }',
    `# api_key: { in: ${comment(keys.in)}, name: ${name}, keys: FILE }`,
  ];
}

function inQuery({ count }: Group): readonly string[] {
  return [
    `# ${times(count)} with a token in the query: let the route read it there, or let these callers send a header`,
    '# bearer_methods_supported: [header, query]',
  ];
}

/** Settings that open a route to everyone, or that allow suspicious paths, are only comments. */
const byCode: Readonly<Record<string, Remedy>> = {
  credential_missing: (group) => {
    const kind = kindOf(group.seen);
    if (kind === undefined) return group.keys === undefined ? noCredential(group) : withKeys(group.keys, group);
    return kind === 'query' ? inQuery(group) : withScheme(kind, group);
  },
  credential_repeated: () => ['# two credentials in one request: the client must send only one'],
  credential_malformed: () => ['# not a bearer token: the client must send `Authorization: Bearer …`'],
  token_malformed: (group) => (group.reason?.startsWith(NOT_A_JWT) ? opaqueLines(group) : [hopeless(group)]),
  token_audience: ({ found }) => [
    '# tokens for another audience; if they are for this API too, add the audience here:',
    `# audience: ${found === undefined ? '…' : comment(found)}`,
  ],
  token_issuer: ({ found }) => [
    '# tokens of an authorization server that is not in `authorization_servers` of the file or of the route; if you trust this server, add it there:',
    `# issuer: ${found === undefined ? '…' : comment(found)}`,
  ],
  origin_refused: ({ reason }) => [
    `# pages of another origin (${comment(reason ?? 'see the log')}); if these pages may call the API, add the origin:`,
    '# origins: [ … ]',
  ],
  condition_failed: () => ['# `claims` or `when` of this route is false for these requests'],
  mcp_operation_denied: ({ operation = '…' }) => [
    `# \`mcp.deny\` of this route has an entry for ${comment(operation)}; remove it if clients may use this operation`,
  ],
  mcp_header_mismatch: ({ reason }) => [
    `# the headers do not match the message (${comment(reason ?? 'see the log')}): the client must copy their values from the body`,
  ],
  rate_limited: ({ reason }) => [
    `# above the limit of this route (${comment(reason ?? 'see the file')}); if these requests should pass:`,
    '# rate_limit: { by: …, requests: …, per: … }',
  ],
  body_too_large: () => [
    '# bodies larger than the route accepts; if these requests should pass:',
    '# limits: { body: … }',
  ],
  form_too_large: () => [
    '# forms larger than the gateway reads for a token; if these requests should pass:',
    '# limits: { form_body: … }',
  ],
  target_encoded_slash: () => ['# if the upstream reads %2f in a path as part of a name:', '# encoded_slashes: keep'],
  target_path_parameter: () => [
    '# if the upstream reads a semicolon in a path as part of a name:',
    '# path_parameters: keep',
  ],
  authorization_server_unavailable: ({ reason }) => [
    `# no change of this file helps: the authorization server did not answer (${comment(reason ?? 'see the log')})`,
  ],
};

function noCredential({ count }: Group): readonly string[] {
  return [
    `# ${times(count)} without a token: give these callers tokens; or, if the route is for everyone, replace scope with:`,
    '# access: public',
  ];
}

function hopeless({ client, code, count }: Group): string {
  const who = client === undefined ? '' : `${comment(client)}: `;
  return `# ${who}${comment(code)} (${times(count)}): nothing to change in this file; the client must send a different request`;
}

/** The beginning of the gateway's reason if it can ask no server about an opaque token. */
const NOT_A_JWT = 'not a JWT';

function opaqueLines({ count }: Group): readonly string[] {
  return [
    `# ${times(count)} with a token that is no JWT; if it is opaque, let the gateway introspect it (RFC 7662). In authorization_servers:`,
    '# client_id: …',
    '# client_secret: …',
  ];
}

/** Joins the groups of several callers that have the same remedy. */
function byPlace(groups: readonly Group[]): readonly Group[] {
  const placeOf = ({ code, examples }: Group) => JSON.stringify([code, area(pathOf([...examples][0] ?? '/'))]);
  return [...Map.groupBy(groups, placeOf).values()].map((same) => ({
    ...(same[0] as Group),
    count: same.reduce((sum, { count }) => sum + count, 0),
    examples: new Set(same.flatMap(({ examples }) => [...examples]).slice(0, 3)),
    methods: new Set(same.flatMap(({ methods }) => [...methods])),
  }));
}

function pathOf(example: string): string {
  return example.slice(example.indexOf('/'));
}

/** Paths without a route. A log cannot tell whether they should be public. */
function unrouted(groups: readonly Group[]): readonly string[] {
  const missing = groups.filter(({ code }) => code === 'route_not_found' || code === 'method_not_allowed');
  const lines = byPlace(missing).flatMap(({ code, examples, methods, count }) => {
    const paths = [...examples].map(pathOf);
    const [first = '/'] = paths;
    const path = paths.length > 1 ? `${area(first)}/{rest*}` : first;
    return [
      `  # ${comment(code)} (${times(count)}): ${comment([...examples].join(', '))}`,
      `  # - match: { methods: ${yamlList(methods)}, path: ${comment(scalar(path))} }`,
      '  #   scope: …',
    ];
  });
  const others = groups.filter((group) => !missing.includes(group));
  return [...lines, ...otherLines(others).map((line) => `  ${line}`)];
}

export function times(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}
