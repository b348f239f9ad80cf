import type { RawResponse } from '../../support/raw-response.ts';
import type { Exception, Exceptions, Parts } from './compare.ts';

/** Where an Envoy may differ from the gateway, with the reason. No other difference is right. */

/** Headers that a proxy writes itself. No part of them comes from a header of the client. */
const ENVOYS_OWN: readonly Exception[] = [
  { is: /: header connection keep-alive → none$/, why: 'it is of one hop (RFC 9110 §7.6.1)' },
  { is: /: header via 1\.1 gatehouse → none$/, why: 'it names the gateway' },
  { is: /: header forwarded for=127\.0\.0\.1;host=\S+;proto=http → none$/, why: 'Envoy does not write it' },
  { is: /: header x-forwarded-host \S+ → none$/, why: 'Envoy does not write it' },
  { is: /: header x-forwarded-for 127\.0\.0\.1 → [0-9.]+$/, why: 'Envoy replaces a loopback address by its own' },
  { is: /: header x-request-id \S+ → [0-9a-f-]{36}$/, why: 'each program makes its own' },
  { is: /^OPTIONS .*: header content-length none → 0$/, why: 'it means the same without a body (RFC 9110 §8.6)' },
];

const ASKING: readonly Exception[] = [
  ...ENVOYS_OWN,
  { is: /: header x-envoy-external-address none → 127\.0\.0\.1$/, why: 'the address of the connection' },
  { is: /: header x-envoy-expected-rq-timeout-ms none → 15000$/, why: 'the limit of the route in Envoy' },
  { is: / with underscore: header x_custom 1 → none$/, why: 'the page removes names with other characters' },
];

/** Envoy joins two lines to this one, so the gateway reads two. At its own listener, the first scheme counts. */
const JOINED = 'the gateway reads joined Authorization lines as two';

const ASKED_ANSWERS: readonly Exception[] = [
  { is: / with behind Basic: (?:status|told) 401 → 400$/, why: JOINED },
  { is: / with behind Basic: code credential_missing → credential_repeated$/, why: JOINED },
  { is: / with behind Basic: (?:challenges|detail) /, why: JOINED },
  { is: /^CONNECT .*: status 405 → 400$/, why: 'Envoy itself refuses the message' },
  { is: /^\S+ \S+#x .*: hasId true → false$/, why: 'Envoy itself refuses the message' },
  {
    is: /^(?:CONNECT |\S+ \S+#x ).*: (?:allow|caches|code|told|detail) .* → none$/,
    why: 'Envoy itself refuses the message',
  },
];

export const askingByGrpc: Exceptions = {
  changed: ASKING,
  narrower: [{ is: /^GET \/maybe\/x at api\.example\.com with behind Basic: 200 → 400$/, why: JOINED }],
  answers: ASKED_ANSWERS,
};

export const askingByHttp: Exceptions = {
  ...askingByGrpc,
  changed: [
    ...ASKING,
    { is: /: target \/\S+ → \/\S*%\S+$/, why: 'Envoy forwards the target as the client spelled it' },
  ],
  answers: [
    ...ASKED_ANSWERS,
    { is: /: hasId true → false$/, why: 'Envoy adds no number to the answer of an upstream' },
  ],
};

/** In requests that an Envoy of Envoy Gateway forwards. It asks by HTTP, and has the settings of Envoy Gateway. */
export const behindEnvoyGateway: readonly Exception[] = [
  ...askingByHttp.changed,
  { is: /: header x-envoy-internal none → true$/, why: 'the loopback address is internal' },
];

/** The parts of an answer that a compiled Envoy also writes. */
export function compiledParts(response: RawResponse, isOwn: boolean): Parts {
  const { error, realm, resource_metadata } = challengeParameters(response.all('www-authenticate').join(', '));
  const isDocument = isOwn && response.status === 200;
  return {
    verdict: error === undefined ? response.status : `${response.status} ${error}`,
    challenge: realm === undefined ? missing(response.status) : `${realm} ${resource_metadata}`,
    allow: response.header('allow'),
    origin: response.header('access-control-allow-origin'),
    exposed: response.header('access-control-expose-headers'),
    methods: response.header('access-control-allow-methods'),
    ...(response.status < 400 && { vary: response.all('vary').join() }),
    ...(response.status >= 400 && isOwn && { caches: response.header('cache-control') }),
    ...(isDocument && { document: String(response.body) }),
    ...(isOwn && { type: response.header('content-type') }),
  };
}

/** RFC 9110 §15.5.2: only a 401 needs a challenge. */
function missing(status: number): string | undefined {
  return status === 401 ? 'missing' : undefined;
}

/** Of the only challenge (RFC 9110 §11.6.1). */
export function challengeParameters(challenge: string): Readonly<Record<string, string>> {
  const found = challenge.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

/** A target that the first filter refuses, although the gateway accepts it, and such a host. */
const NEEDLESS = /^\w+ \/\S*(?:%(?:37|6f|73|C3%BC|c3%bc|C5%BF|20|3f|C2%A0)|\|)/;
const [UNDERSCORE, ABSOLUTE, GUARD] = [
  'Envoy refuses names with `_`',
  'Envoy refuses a URL as target',
  'the first filter',
];

/** docs/cookbook/compile-envoy.md lists these differences. */
export const compiledHere: Exceptions = {
  changed: [
    ...ENVOYS_OWN,
    { is: /: header x-envoy-internal none → true$/, why: 'the loopback address is internal' },
    {
      is: / with (?:scope as a list|list with a joined scope|no scope): header x-auth-scope (?:orders\.read)? → none$/,
      why: 'Envoy writes only a `scope` that is text',
    },
  ],
  narrower: [
    { is: / with (?:forged )?underscore: 200 → 400$/, why: UNDERSCORE },
    { is: /^GET http:.*: 200 → 404$/, why: ABSOLUTE },
    { is: / at (?:\[::1\]|internal\.example\.com\.) .*: 200 → 403$/, why: GUARD },
    { is: / with lower case scheme: 200 → 403$/, why: 'Envoy accepts one spelling of Bearer' },
    { is: / with behind Basic: 200 → 403$/, why: 'Envoy accepts no other scheme before Bearer' },
    { is: / with scope with a tab: 200 → 403$/, why: 'the text would be no clean header' },
    { is: new RegExp(`${NEEDLESS.source}.*: 200 → 403$`), why: GUARD },
  ],
  answers: [
    { is: / with (?:forged )?underscore: .* → (?:none|400|text\/plain)$/, why: UNDERSCORE },
    { is: /^GET http:.* → (?:none|404)$/, why: ABSOLUTE },
    { is: /^CONNECT .* → (?:none|400|text\/plain)$/, why: 'Envoy itself refuses the message' },
    { is: /^\S+ \S+#x .* → (?:none|400)$/, why: 'Envoy itself refuses the message' },
    { is: /^TRACE .*: (?:verdict 405 → 403|allow {2}→ none)$/, why: GUARD },
    { is: /: (?:verdict 400(?: invalid_request)? → 403|challenge api \S+ → none)$/, why: GUARD },
    { is: /: verdict (?:401 invalid_token|401|403 insufficient_scope) → 403$/, why: GUARD },
    {
      is: /: verdict (?:400 invalid_request|401|401 invalid_token) → 403 insufficient_scope$/,
      why: 'a later filter judges',
    },
    { is: /: (?:verdict 403 → 403 insufficient_scope|challenge none → api \S+)$/, why: 'one answer for all rules' },
  ],
};

/** For cases that do not need every exception. */
export function withoutUnused<Faults extends { readonly unused?: unknown }>({ unused: _, ...faults }: Faults): object {
  return faults;
}
