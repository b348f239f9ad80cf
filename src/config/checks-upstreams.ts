import type { Checks, Member } from './checks.ts';
import type { UpstreamConfig } from './gateway.ts';
import { normalizeHost } from './host.ts';
import type { Finding } from './problem.ts';
import type { GatewaySubject } from './subject.ts';
import { parseUrl } from './url-rules.ts';

/** The APIs behind the gateway. */
export const upstreamChecks: Checks<GatewaySubject> = {
  'url of an upstream': ({ upstreams }) => upstreams.flatMap(urlFaults),
  'host of an upstream': ({ upstreams }) => upstreams.flatMap(hostFaults),
};

function urlFaults({ at, value }: Member<UpstreamConfig>): readonly Finding[] {
  const pointer = [...at, 'url'];
  const row = urlRows.find(({ found }) => found(value.url, parseUrl(value.url)));
  return row === undefined ? [] : [{ pointer, message: row.message, hint: row.hint }];
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
    hint: 'put a proxy that speaks gRPC in front, and let it ask the decision endpoint of this gateway',
  },
  {
    found: (_, url) => url === undefined || !/^https?:$/.test(url.protocol) || url.host === '',
    message: 'not an http or https URL',
    hint: 'write http://host:port',
  },
  {
    found: (_, url) => url?.username !== '' || url.password !== '',
    message: 'an upstream URL has no user name and password',
    hint: 'leave out what stands before `@`',
  },
  {
    found: (text, url) => url?.search !== '' || url.hash !== '' || /[?#]$/.test(text),
    message: 'an upstream URL has no query and no fragment',
    hint: 'leave it out',
  },
  {
    found: (_, url) => url?.pathname !== '/',
    message: 'an upstream URL has no path',
    hint: 'requests keep the path they came with; write only scheme, host and port',
  },
];

function hostFaults({ at, value }: Member<UpstreamConfig>): readonly Finding[] {
  if (normalizeHost(value.host) !== undefined) return [];
  return [
    {
      pointer: [...at, 'host'],
      message: `\`${value.host}\` is not a host`,
      hint: 'write preserve, upstream, or a name such as api.internal',
    },
  ];
}
