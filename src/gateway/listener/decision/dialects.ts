import type { Via } from '../../message/request-head.ts';
import {
  type DecisionRequest,
  isForwardedSecure,
  type Original,
  onlyLines,
  original,
  type Unclear,
  unclear,
} from './decision-request.ts';

/**
 * A way in which proxies ask. The path decides which headers the gateway trusts. The presence of a header never decides
 * this (advisory 14).
 */
export interface Dialect {
  readonly via: Via;
  readonly path: string;
  /** The rest of the decision request's target is the client's target. */
  readonly isPrefix: boolean;
  /** Headers, in lower case, that describe the client's request and are not part of it. */
  readonly tells: ReadonlySet<string>;
  readonly read: (question: DecisionRequest) => Original | Unclear;
  /** Whether X-Forwarded-For may begin with the proxy's own address. */
  readonly addsItself: boolean;
  /** Whether the proxy joins repeated lines of the client with a comma. */
  readonly joinsLines: boolean;
}

const nginx = { via: 'nginx', isPrefix: false, addsItself: false, joinsLines: false } as const;

const dialects: readonly Dialect[] = [
  { ...nginx, path: '/nginx', tells: new Set(['x-original-method', 'x-original-url', 'host']), read: readUrl },
  { ...nginx, path: '/nginx/uri', tells: new Set(['x-original-method', 'x-original-uri']), read: readUri },
  {
    via: 'forward-auth',
    path: '/forward-auth',
    isPrefix: false,
    addsItself: false,
    joinsLines: false,
    tells: new Set(['x-forwarded-method', 'x-forwarded-uri', 'host']),
    read: readForwarded,
  },
  {
    via: 'envoy',
    path: '/envoy',
    isPrefix: true,
    // Its HTTP client always adds the proxy's address, even if the proxy forwards no client address.
    addsItself: true,
    joinsLines: true,
    tells: new Set(),
    read: ({ request, rest }) =>
      original({
        method: request.method ?? '',
        target: rest,
        host: undefined,
        secure: isForwardedSecure({ request, rest }),
      }),
  },
];

export interface DecisionPath {
  readonly dialect: Dialect;
  readonly rest: string;
}

/** Undefined: the target is not a path of the decision endpoint. */
export function dialectOf(target: string): DecisionPath | undefined {
  for (const dialect of dialects) {
    const rest = target.startsWith(dialect.path) ? target.slice(dialect.path.length) : undefined;
    if (rest !== undefined && (dialect.isPrefix ? REST : QUERY).test(rest)) return { dialect, rest };
  }
  return undefined;
}

const REST = /^(?:\/|\*$)/;
/** Caddy appends the client's query to the path of the decision endpoint. */
const QUERY = /^(?:\?|$)/;

export const paths: string = dialects.map(({ path, isPrefix }) => (isPrefix ? `${path}/…` : path)).join(', ');

/**
 * A URL parser would read more into the value than nginx wrote, so the gateway uses none (advisory 59). nginx puts the
 * request-target right after a Host that may contain `?`. The expression accepts only values whose host and target are
 * certain.
 */
const URL_PARTS = /^(https?):\/\/([^/?#*]+)(\/.*|\*)$/i;

function readUrl(question: DecisionRequest): Original | Unclear {
  const told = onlyLines(question, ['x-original-method', 'x-original-url']);
  if (told.kind === 'unclear') return told;
  const parts = URL_PARTS.exec(told.of['x-original-url']);
  if (parts === null)
    return unclear('x-original-url must be http:// or https://, then a host, then a target that begins with `/`');
  const [, scheme = '', host, target = ''] = parts;
  const [method, secure] = [told.of['x-original-method'], scheme.toLowerCase() === 'https'];
  return original({ method, target, host, secure, now: clockOf(question) });
}

function readUri(question: DecisionRequest): Original | Unclear {
  const told = onlyLines(question, ['x-original-method', 'x-original-uri']);
  if (told.kind === 'unclear') return told;
  const { 'x-original-method': method, 'x-original-uri': target } = told.of;
  return original({ method, target, host: undefined, secure: isForwardedSecure(question), now: clockOf(question) });
}

/** The query of `proxy_pass http://gatehouse/nginx?now=$msec`, which no client can write. */
const CLOCK = /^\?now=(\d{10}(?:\.\d+)?)$/;

function clockOf({ rest }: DecisionRequest): number | undefined {
  const [, seconds] = CLOCK.exec(rest) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function readForwarded(question: DecisionRequest): Original | Unclear {
  const told = onlyLines(question, ['x-forwarded-method', 'x-forwarded-host', 'x-forwarded-uri']);
  if (told.kind === 'unclear') return told;
  const { 'x-forwarded-method': method, 'x-forwarded-host': host, 'x-forwarded-uri': target } = told.of;
  return original({ method, target, host, secure: isForwardedSecure(question) });
}
