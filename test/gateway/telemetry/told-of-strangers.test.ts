import { Writable } from 'node:stream';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { buildLog } from '../../../src/base/log.ts';
import { printable, printableValue } from '../../../src/base/printable.ts';
import { Decisions } from '../../../src/gateway/telemetry/decisions.ts';
import { pathOf } from '../../../src/gateway/telemetry/without-tokens.ts';
import { behind, gateway, type TestGateway } from '../../support/gateway.ts';
import { ask } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { collectSpans } from '../../support/spans.ts';
import { jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';
import { headOf } from '../head.ts';

/** Characters that reverse text or control a terminal, except in JSON's own escapes. */
const STEERS = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\\u00(?:[01]|7f|[89])|\\[bfrt]/iu;

interface Scene extends TestGateway {
  /** Log, decision stream, spans and tickets of all requests, as an operator reads them. */
  told(requests: number): Promise<string>;
  send(bytes: Buffer): Promise<void>;
}

async function scene(t: Test): Promise<Scene> {
  const spans = collectSpans(t);
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', trusted_proxies: ['127.0.0.1/32'] }));
  const stopped = new AbortController();
  const stream = await fetch(`${running.adminUrl}/decisions`, {
    headers: { accept: 'text/event-stream' },
    signal: stopped.signal,
  });
  let streamed = '';
  const reading = (async () => {
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) streamed += Buffer.from(chunk).toString();
  })().catch(() => {});
  t.teardown(() => {
    stopped.abort();
    return reading;
  });
  let opened = '';
  const send = async (bytes: Buffer) => {
    const { status, body } = await ask(running.port, bytes);
    if (status < 400) return;
    const { ticket } = JSON.parse(body.toString()) as { ticket?: string };
    if (ticket !== undefined) opened += await (await fetch(`${running.adminUrl}/why/${ticket}`)).text();
  };
  const told = async (requests: number) => {
    t.ok(await until(() => streamed.split('data: ').length - 1 === requests), streamed);
    const log = running.log.map((line) => JSON.stringify(line)).join('\n');
    return [log, streamed.replaceAll('\n', ' '), spans.text(), opened].join('\n');
  };
  return { ...running, send, told };
}

t.test('no value of a client controls the terminal on which a log is read', async (t) => {
  const { send, told } = await scene(t);
  const steering = ['\x9b2Jmarked', '\x80marked', Buffer.from('\u202emarked').toString('latin1')];
  for (const text of steering) {
    await send(requestText({ target: '/public/x', host: text }));
    await send(requestText({ target: '/orders/1', headers: [['X-Request-Id', text]] }));
  }
  const token = await jwt(
    { sub: '\u202eali\u009bce\u2066\n', client_id: 'sh\u009bop', scope: 'orders.read' },
    { alg: 'HS256' },
  );
  for (const target of ['/public/1', '/orders/1', '/admin/1'])
    await send(requestText({ target, headers: [bearer(token)] }));
  const text = await told(2 * steering.length + 3);
  t.match(text, /marked/, 'they are told');
  t.notMatch(text.replaceAll('\n', ' '), STEERS);
});

t.test('the same for a pretty log', async (t) => {
  let written = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  const decisions = new Decisions(buildLog({ level: 'debug', format: 'pretty' }, sink), systemClock);
  const head = { ...headOf(['Host', '\x9b2J\x7f']), target: '/\x9b2J' };
  decisions.record({ code: 'host_invalid', outcome: undefined, head, requestId: 'r\u202e', milliseconds: 1 });
  t.match(written, /2J/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are ours
  t.notMatch(written.replaceAll(/\x1b\[\d+m/g, '').replaceAll('\n', ''), STEERS);
});

const spellings = [
  'access_token',
  'ACCESS_TOKEN',
  'access%5Ftoken',
  'access%5ftoken',
  '%61ccess_token',
  '%41ccess_token',
  '%61%63%63%65%73%73%5f%74%6f%6b%65%6e',
  'access%255Ftoken',
  'access%25255ftoken',
  '%2561ccess_%74oken',
];

t.test('a token is never logged, whatever the spelling of its name, in a path parameter or a query', async (t) => {
  const { send, told } = await scene(t);
  let sent = 0;
  for (const name of spellings) {
    for (const before of [
      '/orders/1;',
      '/orders/1;a=b;',
      '/orders/1%3B',
      '/orders/',
      '/orders/1?',
      '/orders/1%3f',
      '/orders/1%253F',
      '/orders/1?x=1&',
    ]) {
      await send(requestText({ target: `${before}${name}=Hush.Hush.Hush` }));
      sent++;
    }
  }
  const text = await told(sent);
  t.match(text, '/orders/1', 'the path before it is told');
  t.notMatch(text, /Hush/);
});

t.test('the path of a target is logged up to where a token may be', async (t) => {
  t.equal(pathOf({ target: '/a/b;x=1' }), '/a/b;x=1');
  t.equal(pathOf({ target: '/a;access%5Ftoken=t/b' }), '/a;');
  t.equal(pathOf({ target: '/a%2525253Faccess' }), '/a');
  t.equal(pathOf({ target: '/accessory/tokens' }), '/accessory/tokens');
});

t.test('a value is one line, and its text order cannot be reversed', async (t) => {
  t.equal(printableValue('a\nb\u2028c\u202ed'), 'a\u{fffd}b\u{fffd}c\u{fffd}d');
  t.equal(printable('a\nb\x1b[31m'), 'a\nb\u{fffd}[31m');
  t.equal(printableValue('é 漢字 👩\u200d🚀'), 'é 漢字 👩\u200d🚀');
});
