import type { Check, Checks, Member } from './checks.ts';
import { didYouMean } from './closest.ts';
import { type AuthScheme, type RouteFile, schemesOf } from './gateway.ts';
import { isLoopback } from './host.ts';
import type { Finding, Pointer } from './problem.ts';
import { scopeTokenFault, scopeTokens } from './scope-words.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;
type OldScheme = Exclude<AuthScheme, 'bearer'>;

const oldSchemes = ['basic', 'digest'] as const satisfies readonly OldScheme[];

/** Basic and Digest of a route. */
export const httpSchemeChecks: Checks<GatewaySubject> = {
  'schemes of a route': each(schemeFaults),
  'block of a scheme': each(blockFaults),
  'realm of a scheme': each(realmFaults),
  'secure enough for Basic': each(insecureFaults),
  'protection of Digest': each(protectionFaults),
  'protection of streams': each((route, { config }) => streamFaults(route, config)),
  'life of a nonce': each(lifeFaults),
  'scopes of users': each((route, { config }) => scopeFaults(route, config.scopes_supported)),
  'nonces of several gateways': ({ routes, config }) => sharedNonceFaults(routes, config),
};

function each(judge: (route: Route, subject: GatewaySubject) => readonly Finding[]): Check<GatewaySubject> {
  return (subject) => subject.routes.flatMap((route) => judge(route, subject));
}

function schemeFaults({ at, value: { auth } }: Route): readonly Finding[] {
  if (typeof auth !== 'object') return [];
  return auth.any_of.flatMap((name, index, all): Finding[] =>
    all.indexOf(name) === index
      ? []
      : [{ pointer: [...at, 'auth', 'any_of', index], message: `\`${name}\` stands twice` }],
  );
}

/** Neither half does anything without the other. */
function blockFaults({ at, value }: Route): readonly Finding[] {
  const schemes = schemesOf(value.auth);
  return oldSchemes.flatMap((name): readonly Finding[] => {
    const isNamed = schemes.includes(name);
    if (isNamed === (value[name] !== undefined)) return [];
    if (isNamed) {
      const hint = name === 'basic' ? 'write `basic: { users: FILE }`' : 'write `digest: { realm: …, users: FILE }`';
      return [{ pointer: [...at, 'auth'], message: `\`${name}\` needs a \`${name}:\` block in the route`, hint }];
    }
    const hint = value.auth === undefined ? `write \`auth: ${name}\`` : `name \`${name}\` in \`auth\``;
    return [{ pointer: [...at, name], message: `the route does not take \`${name}\``, hint, atKey: true }];
  });
}

/** RFC 7616 §3.4.2 and the user file part their texts by colons. */
function realmFaults({ at, value }: Route): readonly Finding[] {
  return oldSchemes.flatMap((name): readonly Finding[] => {
    const realm = value[name]?.realm;
    const pointer = [...at, name, 'realm'];
    if (realm === undefined || /^[\x20-\x7e]+$/.test(realm)) {
      const hasColon = name === 'digest' && realm?.includes(':') === true;
      return hasColon
        ? [{ pointer, message: 'a realm of Digest has no colon: user files part their fields by it' }]
        : [];
    }
    return [{ pointer, message: 'a realm is printable ASCII, so that every client hashes and shows the same' }];
  });
}

/** Semantics of RFC 7617 §4: who listens on the way has the password. */
function insecureFaults({ at, value }: Route, { config }: GatewaySubject): readonly Finding[] {
  const { basic } = value;
  if (basic === undefined || basic.allow_insecure) return [];
  const { tls, host } = config.listen;
  if (tls !== undefined || config.trusted_proxies.length > 0 || isLoopback(host)) return [];
  return [
    {
      pointer: [...at, 'basic'],
      message:
        'no request can be secure enough for Basic: there is no TLS here, and no proxy that is trusted to have it',
      hint: 'give `listen` a `tls`, or name the proxy in `trusted_proxies`; `allow_insecure: true` takes passwords in the clear',
      atKey: true,
    },
  ];
}

function protectionFaults({ at, value: { digest } }: Route): readonly Finding[] {
  if (digest === undefined) return [];
  const { qop, algorithms, legacy_no_qop } = digest;
  const faults: Finding[] = [
    ...twice([...at, 'digest', 'algorithms'], algorithms),
    ...twice([...at, 'digest', 'qop'], qop),
  ];
  if (!qop.includes('auth')) {
    const message = '`auth-int` alone makes browsers fall back to no protection at all, and others give up';
    faults.push({ pointer: [...at, 'digest', 'qop'], message, hint: 'write `qop: [auth, auth-int]`' });
  }
  if (legacy_no_qop && !algorithms.includes('MD5')) {
    const message = 'clients of RFC 2069 know no algorithm but MD5';
    faults.push({ pointer: [...at, 'digest', 'legacy_no_qop'], message, hint: 'name `MD5` in `algorithms`' });
  } else if (legacy_no_qop) {
    const message = 'without qop a response is easily found out by whoever chooses the nonce';
    faults.push({ pointer: [...at, 'digest', 'legacy_no_qop'], severity: 'warning', message });
  }
  return faults;
}

/** To be hashed a body is read whole, and one that is to pass as it comes never is (RFC 7616 §3.4.3). */
function streamFaults({ at, value }: Route, config: GatewaySubject['config']): readonly Finding[] {
  const index = value.digest?.qop.indexOf('auth-int') ?? -1;
  if (index === -1) return [];
  const why = streams.find(({ isOne }) => isOne(value, config))?.why;
  if (why === undefined) return [];
  const message = `\`auth-int\` needs the body whole, and this route streams: ${why}`;
  const hint = 'write `qop: [auth]` here, or make a route of its own for what streams';
  return [{ pointer: [...at, 'digest', 'qop', index], message, hint }];
}

type Stream = { readonly why: string; isOne(route: RouteFile, config: GatewaySubject['config']): boolean };

const streams: readonly Stream[] = [
  { why: '`idle: none`', isOne: (route, config) => idleOf(route, config) === 'none' },
  {
    why: 'its `limits.body` is above `auth_int.max_body`',
    isOne: ({ limits, digest }) =>
      limits?.body !== undefined && (limits.body === 'none' || limits.body > (digest?.auth_int.max_body ?? 0)),
  },
  {
    why: 'it is for upgrades',
    isOne: ({ match: { headers = {} } }) => Object.keys(headers).some((name) => name.toLowerCase() === 'upgrade'),
  },
  { why: '`end_with: token`', isOne: ({ end_with }) => end_with === 'token' },
];

function idleOf({ timeout, upstream }: RouteFile, { upstreams, defaults }: GatewaySubject['config']) {
  return timeout?.idle ?? upstreams[upstream ?? defaults.upstream ?? '']?.timeout.idle;
}

function twice(at: Pointer, names: readonly string[]): readonly Finding[] {
  return names.flatMap((name, index): Finding[] =>
    names.indexOf(name) === index ? [] : [{ pointer: [...at, index], message: `\`${name}\` stands twice` }],
  );
}

const second = 1000;
const day = 86_400 * second;

/** Expiring a nonce at once is not workable, and one that never does is a password. */
function lifeFaults({ at, value: { digest } }: Route): readonly Finding[] {
  if (digest === undefined || (digest.nonce_ttl >= 10 * second && digest.nonce_ttl <= day)) return [];
  const message = 'a nonce lives for 10s to 1d';
  return [{ pointer: [...at, 'digest', 'nonce_ttl'], message, hint: 'such as 5m' }];
}

function scopeFaults({ at, value }: Route, supported: readonly string[] | undefined): readonly Finding[] {
  return oldSchemes.flatMap((name) =>
    Object.entries(value[name]?.scopes ?? {}).flatMap(([user, text]) => {
      const pointer = [...at, name, 'scopes', user];
      return scopeTokens(text).flatMap((token): readonly Finding[] => {
        const message = scopeTokenFault(token);
        if (message !== undefined) return [{ pointer, message }];
        if (supported === undefined || supported.includes(token)) return [];
        return [{ pointer, message: `\`${token}\` is not in scopes_supported`, hint: didYouMean(token, supported) }];
      });
    }),
  );
}

/** Each would make its own keys, and refuse the nonces of the others. */
function sharedNonceFaults(
  routes: readonly Route[],
  { counters, nonce_keys }: GatewaySubject['config'],
): readonly Finding[] {
  const first = routes.find(({ value }) => value.digest !== undefined);
  if (first === undefined || nonce_keys !== undefined || counters === 'memory') return [];
  return [
    {
      pointer: ['counters'],
      message: 'gateways that share their counters must share the keys of their nonces too',
      hint: 'write `nonce_keys` as in the sample file; openssl rand -base64 32 makes one',
    },
  ];
}
