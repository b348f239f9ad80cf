import type { Field, Row } from './row.ts';

const plain = { before: 'plain', scope: 'read' } as const;

const manyLines: readonly Field[] = Array.from({ length: 85 }, (_, index) => [`X-Line-${index}`, `value ${index}`]);

/** Fields of all kinds, hosts and proxies. */
export const headRows: readonly Row[] = [
  {
    name: 'Connection: TE, where a rule reads any field',
    method: 'POST',
    target: '/pay?currency=EUR',
    headers: [
      ['X-Env', 'prod'],
      ['Connection', 'TE'],
      ['TE', 'trailers'],
    ],
    fields: { te: ['trailers'] },
    body: 'x',
    ...plain,
    contract: '`keep-alive`, `close`, `te`, `trailer`, `upgrade`, `http2-settings` and `proxy-connection` stay legal',
  },
  {
    name: 'Connection: keep-alive, TE of a client of Perl',
    target: '/public/a',
    headers: [
      ['Connection', 'keep-alive, TE'],
      ['TE', 'deflate,gzip;q=0.3'],
      ['Keep-Alive', '300'],
    ],
    fields: { te: [], 'keep-alive': [] },
    before: 'plain',
  },
  {
    name: 'the offer of h2c by a client of Java',
    target: '/public/a',
    headers: [
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
      ['User-Agent', 'Java-http-client/21'],
    ],
    fields: { upgrade: [], 'http2-settings': [] },
    before: 'plain',
  },
  {
    name: 'Connection: keep-alive, Upgrade with an offer of TLS',
    target: '/public/a',
    headers: [
      ['Connection', 'keep-alive, Upgrade'],
      ['Upgrade', 'TLS/1.2, HTTP/1.1'],
    ],
    fields: { upgrade: [] },
    before: 'plain',
  },
  {
    name: 'Proxy-Connection of an old client',
    target: '/public/a',
    headers: [['Proxy-Connection', 'keep-alive']],
    before: 'plain',
    fields: { 'proxy-connection': [] },
  },
  {
    name: 'two lines of Cookie',
    target: '/public/a',
    headers: [
      ['Cookie', 'a=1; b="2"'],
      ['Cookie', 'c=3=4'],
    ],
    before: 'plain',
  },
  {
    name: 'an empty field, and Latin-1 in another',
    target: '/public/a',
    headers: [
      ['X-Empty', ''],
      ['X-Name', 'Jos\xe9'],
    ],
    before: 'plain',
  },
  {
    name: 'a browser that navigates',
    target: '/public/a',
    headers: [
      ['Origin', 'https://app.example.com'],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Mode', 'cors'],
      ['Accept-Language', 'de,en;q=0.5'],
      ['DNT', '1'],
    ],
    before: 'plain',
  },
  {
    name: 'a trace',
    target: '/public/a',
    headers: [
      ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
      ['tracestate', 'a=1,b=2'],
    ],
    before: 'plain',
  },
  { name: 'a large cookie', target: '/public/a', headers: [['Cookie', `s=${'x'.repeat(14_000)}`]], before: 'plain' },
  { name: 'many fields', target: '/public/a', headers: manyLines, before: 'plain' },
  {
    name: 'HTTP/1.0',
    target: '/public/a',
    version: 'HTTP/1.0',
    headers: [['User-Agent', 'Wget/1.10']],
    before: 'plain',
  },
  {
    name: 'HTTP/1.0 that keeps its connection',
    target: '/public/a',
    version: 'HTTP/1.0',
    headers: [['Connection', 'Keep-Alive']],
    before: 'plain',
  },
  {
    name: 'a whole URL for the host that is asked',
    target: 'http://api.example.com/public/a?b=c',
    arrives: '/public/a?b=c',
    before: 'plain',
    contract: 'Refused with 400: … absolute-form for another host',
  },
  { name: 'a host with a port and in upper case', target: '/a', host: 'ACME.Example.com:8443', before: 'hosts' },
  { name: 'a host with a dot at its end', target: '/a', host: 'acme.example.com.', before: 'hosts' },
  { name: 'a host that is an IPv6 address', target: '/a', host: '[::1]:8080', before: 'hosts' },
  {
    name: 'a CDN that asks the origin by another name',
    target: '/a%20b?c=d',
    host: 'origin.internal',
    headers: [
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Host', 'shop.example.com'],
      ['X-Forwarded-Proto', 'https'],
    ],
    fields: { host: ['shop.example.com'], 'x-forwarded-host': ['shop.example.com'], 'x-forwarded-proto': ['https'] },
    before: 'host: forwarded',
    scope: 'read',
    contract: 'then `host: preserve`, `X-Forwarded-Host` and `Forwarded` all tell that one',
  },
  {
    name: 'an override that the route lets pass',
    method: 'POST',
    target: '/override',
    headers: [['X-HTTP-Method-Override', 'PATCH']],
    body: '{}',
    before: 'pass_headers',
    scope: 'read',
    contract:
      'are dropped on every route …, unless `routes[].pass_headers: [NAME]` or `defaults.pass_headers` names them',
  },
];
