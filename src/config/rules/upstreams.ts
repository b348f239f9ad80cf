import { isIP } from 'node:net';
import { type UpstreamFile, urlsOf } from '../schema/upstream.ts';
import { normalizeHost } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';
import { timerFaults } from './timers.ts';
import { tlsFileFaults } from './tls-files.ts';

/** Rules for the APIs behind the gateway. */
export const upstreamChecks: Checks<GatewaySubject> = {
  'one url or several': ({ upstreams }) => upstreams.flatMap(spellingFaults),
  'url of an upstream': ({ upstreams }) => upstreams.flatMap(urlFaults),
  'health of an upstream': ({ upstreams }) => upstreams.flatMap(healthFaults),
  'circuit breaker of an upstream': ({ upstreams }) => upstreams.flatMap(breakerFaults),
  'TLS towards an upstream': ({ upstreams }) => upstreams.flatMap(tlsFaults),
  'files of TLS towards an upstream': ({ upstreams, around }) =>
    upstreams.flatMap(({ at, value: { tls } }) => tlsFileFaults([...at, 'tls'], tls, around)),
  'engine beside HTTP/2': ({ upstreams }) => upstreams.flatMap(unusedEngine),
  'host of an upstream': ({ upstreams }) => upstreams.flatMap(hostFaults),
};

type Upstream = Member<UpstreamFile>;

function spellingFaults({ at, value: { url, urls } }: Upstream): readonly Finding[] {
  if (url === undefined && urls === undefined)
    return [
      { pointer: at, message: 'an upstream needs a `url`', hint: 'write `url: http://host:port`, or `urls: […]`' },
    ];
  if (url === undefined || urls === undefined) return [];
  return [
    { pointer: [...at, 'urls'], message: '`url` and `urls` are two forms of one setting', hint: 'leave one out' },
  ];
}

function urlFaults({ at, value }: Upstream): readonly Finding[] {
  const urls = urlsOf(value);
  const origins = urls.map(([, text]) => parseUrl(text)?.origin);
  return urls.flatMap(([place, text], index): Finding[] => {
    const pointer = [...at, ...place];
    const row = urlRows.find(({ found }) => found(text, parseUrl(text)));
    if (row !== undefined) return [{ pointer, message: row.message, hint: row.hint }];
    const isRepeated = origins.indexOf(origins[index]) < index;
    return isRepeated ? [{ pointer, message: `\`${text}\` occurs twice`, hint: 'name each server once' }] : [];
  });
}

function unusedEngine({ at, value: { engine, http2 } }: Upstream): readonly Finding[] {
  if (http2 !== true || engine === 'own') return [];
  const message = 'with `http2`, the gateway does not use this engine, which speaks only HTTP/1.1';
  return [{ pointer: [...at, 'engine'], severity: 'warning', message, hint: 'leave out one of the two' }];
}

/** Milliseconds. More frequent checks would only burden the upstream. */
const SHORTEST = 100;

function healthFaults({ at, value: { health } }: Upstream): readonly Finding[] {
  if (health === undefined) return [];
  const pointer = [...at, 'health'];
  const faults: Finding[] = [...timerFaults(pointer, health, ['interval', 'timeout'])];
  if (health.interval < SHORTEST) faults.push(tooShort([...pointer, 'interval']));
  if (!/^\/[!-~]*$/.test(health.path) || health.path.includes('#'))
    faults.push({
      pointer: [...pointer, 'path'],
      message: `\`${health.path}\` is not a path`,
      hint: 'write the path with its first slash: /healthz',
    });
  return faults;
}

function breakerFaults({ at, value: { circuit_breaker } }: Upstream): readonly Finding[] {
  if (circuit_breaker === undefined) return [];
  const pointer = [...at, 'circuit_breaker'];
  const isShort = circuit_breaker.open_for < SHORTEST;
  return [
    ...timerFaults(pointer, circuit_breaker, ['open_for']),
    ...(isShort ? [tooShort([...pointer, 'open_for'])] : []),
  ];
}

function tooShort(pointer: Pointer): Finding {
  return { pointer, message: 'a time of less than 100ms', hint: 'write 100ms or more' };
}

function tlsFaults({ at, value }: Upstream): readonly Finding[] {
  const { tls } = value;
  if (tls === undefined) return [];
  const pointer = [...at, 'tls'];
  const plain = urlsOf(value).find(([, text]) => parseUrl(text)?.protocol === 'http:');
  return [
    ...(plain === undefined
      ? []
      : [{ pointer, message: `\`tls\` is for https urls, and ${plain[1]} is not one`, hint: 'write https://' }]),
    ...halfIdentity(pointer, tls),
    ...serverNameFaults([...pointer, 'server_name'], tls.server_name),
  ];
}

/** One file without the other would look like an identity, and give none. */
function halfIdentity(pointer: Pointer, { cert, key }: NonNullable<UpstreamFile['tls']>): readonly Finding[] {
  if ((cert === undefined) === (key === undefined)) return [];
  const [there, missing] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
  return [
    {
      pointer: [...pointer, there],
      message: `\`${there}\` needs \`${missing}\``,
      hint: 'write the PEM files of one certificate and its key',
    },
  ];
}

function serverNameFaults(pointer: Pointer, name: string | undefined): readonly Finding[] {
  if (name === undefined || (/^[A-Za-z0-9_.-]+$/.test(name) && isIP(name) === 0)) return [];
  return [
    {
      pointer,
      message: `\`${name}\` is not the name of a server`,
      hint: 'write a name such as orders.internal; an IP address belongs in the URL of the upstream',
    },
  ];
}

interface UrlRow {
  readonly found: (text: string, url: URL | undefined) => boolean;
  readonly message: string;
  readonly hint: string;
}

const urlRows: readonly UrlRow[] = [
  {
    found: (text) => /^grpcs?:/i.test(text),
    message: 'this gateway does not forward gRPC',
    hint: 'put a proxy that supports gRPC in front of the upstream, and let the proxy ask the decision endpoint of this gateway',
  },
  {
    found: (_, url) => url === undefined || !/^https?:$/.test(url.protocol) || url.host === '',
    message: 'not an http or https URL',
    hint: 'write http://host:port',
  },
  {
    found: (_, url) => url?.username !== '' || url.password !== '',
    message: 'an upstream URL must not have a username and password',
    hint: 'remove the part before `@`',
  },
  {
    found: (text, url) => url?.search !== '' || url.hash !== '' || /[?#]$/.test(text),
    message: 'an upstream URL must not have a query or a fragment',
    hint: 'leave out `?` or `#` and what follows',
  },
  {
    found: (_, url) => url?.pathname !== '/',
    message: 'an upstream URL must not have a path',
    hint: 'requests keep their own path; write only scheme, host and port',
  },
];

function hostFaults({ at, value }: Upstream): readonly Finding[] {
  if (normalizeHost(value.host) !== undefined) return [];
  return [
    {
      pointer: [...at, 'host'],
      message: `\`${value.host}\` is not a host`,
      hint: 'write preserve, upstream, or a name such as api.internal',
    },
  ];
}
