import { comment, list, scalar } from '../common/yaml-text.ts';
import { area, type Group } from './report.ts';

/** Lines of YAML, one route after another, that would let pass what the groups tell of. */
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
  const lines = [...scopeLines(scoped), ...others.flatMap(otherLines)];
  return [`  - id: ${scalar(route)}`, ...lines.map((line) => `    ${line}`)];
}

/** One more alternative a client: everything that it holds, so that no more is opened than what it has. */
function scopeLines(groups: readonly Group[]): readonly string[] {
  const told = groups.map(({ client, count, missing, held }) => {
    const who = comment(client ?? 'a client without a name');
    const has = held.length === 0 ? 'holds no scope' : `holds ${comment(held.join(' '))}`;
    return `# ${who} ${has} (${times(count)}); or give it ${comment(missing ?? 'the scope')} where it gets its tokens`;
  });
  const held = groups.map((group) => group.held.join(' ')).filter((scope) => scope !== '');
  if (held.length === 0) return told;
  const alternatives = new Set([...groups.flatMap(({ needed }) => needed), ...held]);
  return [...told, `scope: { any_of: ${list(alternatives)} }`];
}

type Remedy = (group: Group) => readonly string[];

/** What opens a route to everybody, or to paths that were thought harmful, is never more than a commented choice. */
const byCode: Readonly<Record<string, Remedy>> = {
  credential_missing: ({ count }) => [
    `# ${times(count)} without a token: whoever asks needs one, or else, if this is for everybody, instead of scope:`,
    '# access: public',
  ],
  credential_repeated: () => ['# two credentials in one request: the client must send one'],
  credential_malformed: () => ['# not a bearer token: the client must send `Authorization: Bearer …`'],
  token_malformed: (group) => (group.reason?.startsWith(NOT_A_JWT) ? opaqueLines(group) : [hopeless(group)]),
  token_audience: () => [
    '# tokens for another audience; if they are meant for this API too, name it here:',
    '# audience: …',
  ],
  token_issuer: () => [
    '# tokens of an authorization server that is not in `authorization_servers`, or not in those of the route',
  ],
  condition_failed: () => ['# `claims` or `when` of this route does not hold for these requests'],
  rate_limited: ({ reason }) => [
    `# above the limit of this route (${comment(reason ?? 'see the file')}); where that was meant to pass:`,
    '# rate_limit: { by: …, requests: …, per: … }',
  ],
  body_too_large: () => ['# larger bodies than the route takes', '# limits: { body: … }'],
  form_too_large: () => ['# larger forms than are read for a token', '# limits: { form_body: … }'],
  target_encoded_slash: () => [
    '# if the upstream reads %2f in a path as this gateway does:',
    '# encoded_slashes: keep',
  ],
  target_path_parameter: () => ['# if the upstream reads ; in a path as this gateway does:', '# path_parameters: keep'],
  authorization_server_unavailable: ({ reason }) => [
    `# no line helps: the authorization server could not be asked (${comment(reason ?? 'see the log')})`,
  ],
};

function otherLines(group: Group): readonly string[] {
  const lines = Object.hasOwn(byCode, group.code) ? byCode[group.code]?.(group) : undefined;
  return lines ?? [hopeless(group)];
}

function hopeless({ client, code, count }: Group): string {
  const who = client === undefined ? '' : `${comment(client)}: `;
  return `# ${who}${comment(code)} (${times(count)}): nothing in this file; the client must send another request`;
}

/** How the gateway begins what it says of an opaque token where no authorization server is asked about any. */
const NOT_A_JWT = 'not a JWT';

function opaqueLines({ count }: Group): readonly string[] {
  return [
    `# ${times(count)} with a token that is no JWT; if it is opaque, let its server be asked (RFC 7662). In authorization_servers:`,
    '# client_id: …',
    '# client_secret: …',
  ];
}

/** Paths that no route is for. Whether they should be open to anybody is not for a log to say. */
function unrouted(groups: readonly Group[]): readonly string[] {
  const missing = groups.filter(({ code }) => code === 'route_not_found' || code === 'method_not_allowed');
  const lines = missing.flatMap(({ code, examples, methods, count }) => {
    const paths = [...examples].map((example) => example.slice(example.indexOf('/')));
    const [first = '/'] = paths;
    const path = paths.length > 1 ? `${area(first)}/{rest*}` : first;
    return [
      `  # ${comment(code)} (${times(count)}): ${comment([...examples].join(', '))}`,
      `  # - match: { methods: ${list(methods)}, path: ${comment(scalar(path))} }`,
      '  #   scope: …',
    ];
  });
  const others = groups.filter((group) => !missing.includes(group));
  return [...lines, ...others.flatMap(otherLines).map((line) => `  ${line}`)];
}

export function times(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}
