import { answerOf, type Field, type Row } from './row.ts';

const plain = { before: 'plain', scope: 'read' } as const;

const soap11 =
  '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>';
const soap12 = soap11.replace('http://schemas.xmlsoap.org/soap/envelope/', 'http://www.w3.org/2003/05/soap-envelope');
const soap = { method: 'POST', target: '/soap', ...plain } as const;
const xml: Field = ['Content-Type', 'text/xml; charset=utf-8'];

const mtom =
  '--b\r\nContent-Type: application/xop+xml\r\nContent-ID: <root>\r\n\r\n<s:Envelope/>\r\n--b\r\nContent-ID: <a>\r\n\r\n\x00\xff\r\n\r\nGET / HTTP/1.1\r\n--b--\r\n';

/** Bodies and answers. */
export const messageRows: readonly Row[] = [
  { name: 'SOAP 1.1, action quoted', headers: [xml, ['SOAPAction', '"urn:GetOrder"']], body: soap11, ...soap },
  { name: 'SOAP 1.1, action not quoted', headers: [xml, ['SOAPAction', 'urn:GetOrder']], body: soap11, ...soap },
  {
    name: 'SOAP 1.2, action in the media type',
    headers: [['Content-Type', 'application/soap+xml; charset=utf-8; action="urn:GetOrder"']],
    body: soap12,
    ...soap,
  },
  {
    name: 'SOAP 1.1 with attachments (MTOM)',
    headers: [
      ['Content-Type', 'multipart/related; type="application/xop+xml"; start="<root>"; boundary=b'],
      ['MIME-Version', '1.0'],
      ['SOAPAction', '"urn:GetOrder"'],
    ],
    body: mtom,
    ...soap,
  },
  {
    name: 'a payment whose rule reads fields and query',
    method: 'POST',
    target: '/pay?currency=EUR&tag=a&tag=b',
    headers: [
      ['X-Env', 'prod'],
      ['Idempotency-Key', '8e03978e'],
      ['Content-Type', 'application/json'],
    ],
    body: '{"amount":1}',
    ...plain,
    contract: 'A parameter or header that `when` reads and that occurs twice is 400; `tag` is not read',
  },
  {
    name: 'telemetry in a thousand chunks',
    method: 'POST',
    target: '/v1/telemetry',
    chunks: Array.from({ length: 1000 }, (_, index) => `m{n="${index}"} 1\n`),
    ...plain,
  },
  {
    name: 'gRPC-web',
    method: 'POST',
    target: '/v1/shop.Orders/Get',
    headers: [
      ['Content-Type', 'application/grpc-web+proto'],
      ['X-Grpc-Web', '1'],
      ['TE', 'trailers'],
      ['Grpc-Timeout', '5S'],
    ],
    body: '\x00\x00\x00\x00\x05\x08\x96\x01\x10\x02',
    fields: { te: ['trailers'] },
    answer: answerOf(
      '200 OK',
      ['Content-Type: application/grpc-web+proto', 'Content-Length: 6'],
      '\x80\x00\x00\x00\x01a',
    ),
    hears: '\x80\x00\x00\x00\x01a',
    ...plain,
  },
  {
    name: 'a body that is compressed',
    method: 'POST',
    target: '/v1/logs',
    headers: [
      ['Content-Encoding', 'gzip'],
      ['Content-Type', 'application/x-ndjson'],
    ],
    body: '\x1f\x8b\x08\x00\x00',
    ...plain,
  },
  {
    name: 'a search with GET and a body',
    target: '/v1/_search',
    headers: [['Content-Type', 'application/json']],
    body: '{"query":{}}',
    ...plain,
  },
  {
    name: 'DELETE with a body',
    method: 'DELETE',
    target: '/v1/items',
    headers: [['Content-Type', 'application/json']],
    body: '[1,2]',
    ...plain,
  },
  { name: 'POST of nothing', method: 'POST', target: '/v1/jobs', body: '', ...plain },
  {
    name: 'JSON Merge Patch',
    method: 'PATCH',
    target: '/users/7',
    headers: [
      ['Content-Type', 'application/merge-patch+json'],
      ['If-Match', '"a%20b"'],
    ],
    body: '{"a":null}',
    ...plain,
  },
  {
    name: 'a file in a form',
    method: 'POST',
    target: '/v1/files',
    headers: [['Content-Type', 'multipart/form-data; boundary=x']],
    body: '--x\r\nContent-Disposition: form-data; name="f"; filename="caf\xc3\xa9.txt"\r\n\r\nhello\r\n\r\n--x--\r\n',
    ...plain,
  },
  {
    name: 'HEAD',
    method: 'HEAD',
    target: '/v1/a',
    answer: answerOf('200 OK', ['Content-Length: 4711', 'ETag: "a"']),
    hears: '',
    ...plain,
  },
  {
    name: 'OPTIONS that is no preflight',
    method: 'OPTIONS',
    target: '/dav/',
    answer: answerOf('200 OK', ['DAV: 1, 2', 'Allow: GET, PROPFIND', 'Content-Length: 0']),
    ...plain,
  },
  {
    name: 'PROPFIND',
    method: 'PROPFIND',
    target: '/dav/calendar/',
    headers: [
      ['Depth', '1'],
      ['Content-Type', 'application/xml'],
    ],
    body: '<propfind/>',
    answer: answerOf('207 Multi-Status', ['Content-Length: 3'], '<m>'),
    hears: '<m>',
    status: 207,
    ...plain,
  },
  {
    name: 'REPORT',
    method: 'REPORT',
    target: '/dav/calendar/',
    headers: [['Depth', '1']],
    body: '<sync-collection/>',
    ...plain,
  },
  {
    name: 'MOVE with a destination',
    method: 'MOVE',
    target: '/dav/a%20b',
    headers: [
      ['Destination', 'https://api.example.com/dav/c%20d'],
      ['Overwrite', 'F'],
    ],
    ...plain,
  },
  {
    name: 'a part of a file',
    target: '/bucket/film.mp4',
    headers: [
      ['Range', 'bytes=0-3'],
      ['If-Range', '"a"'],
    ],
    answer: answerOf('206 Partial Content', ['Content-Range: bytes 0-3/9', 'Content-Length: 4'], 'film'),
    hears: 'film',
    status: 206,
    ...plain,
  },
  {
    name: 'what has not changed',
    target: '/v1/a',
    headers: [
      ['If-None-Match', 'W/"a", "b;c"'],
      ['If-Modified-Since', 'Sun, 22 Nov 2026 10:00:00 GMT'],
    ],
    answer: answerOf('304 Not Modified', ['ETag: "a"']),
    hears: '',
    status: 304,
    ...plain,
  },
  {
    name: 'events, read until the upstream ends them',
    target: '/v1/events',
    headers: [
      ['Accept', 'text/event-stream'],
      ['Last-Event-ID', '7'],
      ['Cache-Control', 'no-cache'],
    ],
    answer: answerOf(
      '200 OK',
      ['Content-Type: text/event-stream', 'Transfer-Encoding: chunked'],
      'd\r\ndata: hello\n\n\r\n0\r\n\r\n',
    ),
    hears: 'data: hello\n\n',
    ...plain,
  },
  {
    name: 'an upload that is not held back',
    method: 'POST',
    target: '/upload',
    chunks: ['first', 'second'],
    before: 'request_buffering',
    scope: 'read',
  },
];
