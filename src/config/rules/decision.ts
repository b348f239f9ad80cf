import type { GatewayFile, RouteFile } from '../schema/gateway.ts';
import type { Listen } from '../schema/listener.ts';
import { trustedParts } from '../schema/trusted-proxies.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import { headersLookedAt } from './looked-at.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;
type Decision = NonNullable<GatewayFile['decision']>;

/** Rules for a decision endpoint: which proxy may ask, how long it may cache, and what it cannot ask about. */
export const decisionChecks: Checks<GatewaySubject> = {
  'no proxy may ask': withDecision((_, { config: { trusted_proxies } }) =>
    trustedParts(trusted_proxies).from.length > 0
      ? []
      : [
          {
            pointer: ['decision'],
            message: 'only proxies in `trusted_proxies` may ask for decisions, and the list is empty',
            hint: 'name the proxy there: `trusted_proxies: [127.0.0.1]` for a proxy on this machine',
            atKey: true,
          },
        ],
  ),
  'gRPC decision endpoint without TLS': withDecision(({ grpc }) => (grpc === undefined ? [] : openFaults(grpc))),
  'how long a proxy may cache a decision': withDecision(({ max_age }) => ageFaults(max_age)),
  'tokens in a body that a proxy does not send': withDecision((_, { config, routes }) => [
    ...bodyTokens(['bearer_methods_supported'], config.bearer_methods_supported),
    ...routes.flatMap(({ at, value }) =>
      bodyTokens([...at, 'bearer_methods_supported'], value.bearer_methods_supported),
    ),
  ]),
  'settings of a route that a proxy does not follow': withDecision((_, { routes }) => routes.flatMap(keptByProxies)),
  'headers that the cache key of a proxy lacks': withDecision(({ max_age }, { routes }) =>
    max_age === 0 ? [] : routes.flatMap(unknownToCaches),
  ),
};

function withDecision(judge: (decision: Decision, subject: GatewaySubject) => readonly Finding[]) {
  return (subject: GatewaySubject) => {
    const { decision } = subject.config;
    return decision === undefined ? [] : judge(decision, subject);
  };
}

/** The calls contain the credentials of all clients, and who may ask depends on the address alone. */
function openFaults({ host, tls }: Listen): readonly Finding[] {
  if (tls !== undefined || isLoopback(host)) return [];
  const message = 'other machines can reach this listener, and it has no TLS';
  const hint = 'write { host, port, tls: { cert, key } }, or a loopback address such as 127.0.0.1';
  return [{ pointer: ['decision', 'grpc'], message, hint }];
}

const SECOND = 1_000;
const LONG = 10 * SECOND;

function ageFaults(milliseconds: number): readonly Finding[] {
  const pointer = ['decision', 'max_age'];
  if (milliseconds % SECOND !== 0)
    return [
      {
        pointer,
        message: 'caches count in whole seconds',
        hint: 'write whole seconds, such as 1s; 0s turns caching off',
      },
    ];
  if (milliseconds <= LONG) return [];
  const message = 'for this long, proxies accept revoked tokens, and requests that a reloaded file forbids';
  return [{ pointer, severity: 'warning', message, hint: 'write 1s: one second already saves nearly all calls' }];
}

function bodyTokens(at: Pointer, methods: readonly string[] | undefined): readonly Finding[] {
  const index = methods?.indexOf('body') ?? -1;
  if (index === -1) return [];
  const message =
    'a proxy that asks over HTTP at `decision` does not send the body, so the gateway cannot read a token in a form';
  return [
    {
      pointer: [...at, index],
      severity: 'warning',
      message,
      hint: 'clients that send the token in a form must connect to `listen`',
    },
  ];
}

function keptByProxies({ at, value: { end_with, limits } }: Route): readonly Finding[] {
  const kept: readonly (readonly [where: Pointer, isOne: boolean, message: string, hint: string])[] = [
    [
      ['end_with'],
      end_with === 'token',
      'a proxy that asks at `decision` holds the connection itself, so the gateway cannot end an open stream when its token ends',
      'clients of this route must connect to `listen`',
    ],
    [
      ['limits', 'body'],
      limits?.body !== undefined,
      'a proxy that asks over HTTP at `decision` does not send the body, so the gateway cannot check its length',
      'limit the length in the proxy, for example with `client_max_body_size` of nginx',
    ],
  ];
  return kept.flatMap(([where, isOne, message, hint]) =>
    isOne ? [{ pointer: [...at, ...where], severity: 'warning', message, hint }] : [],
  );
}

/** The headers in the cache key of the cookbook. */
const KNOWN: ReadonlySet<string> = new Set(['authorization', 'host']);

function unknownToCaches({ at, value }: Route): readonly Finding[] {
  // The endpoint refuses these routes.
  if (value.mcp !== undefined) return [];
  const looked = headersLookedAt(value);
  const names = looked === 'any' ? ['headers'] : [...looked].filter((name) => !KNOWN.has(name));
  if (names.length === 0) return [];
  const pointer = [...at, readerOf(value)];
  const message = `the route depends on ${names.map((name) => `\`${name}\``).join(', ')}, which the cache key in the cookbook (behind-nginx.md) does not contain`;
  const hint = "add these headers to the proxy's cache key (nginx also respects `Vary`), or write `max_age: 0s`";
  return [{ pointer, severity: 'warning', message, hint }];
}

/** The key that reads the headers. */
function readerOf({ when, origins, match }: RouteFile): 'when' | 'origins' | 'match' {
  if (when !== undefined && /\bheaders\b/.test(when)) return 'when';
  return origins !== undefined && match.headers === undefined && match.soap_action === undefined ? 'origins' : 'match';
}
