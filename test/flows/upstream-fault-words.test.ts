import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { readTicket, ticketKeys } from '../../src/gateway/telemetry/tickets.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { ask, exchange } from '../support/raw-client.ts';
import { rawUpstream, type Script } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { serving } from '../support/serving.ts';
import { until } from '../support/until.ts';

const key = randomBytes(32).toString('base64');
const pem = (name: string) => readFileSync(fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url)), 'utf8');

async function secureApi(t: Test): Promise<string> {
  const server = createHttps({ cert: pem('server.crt'), key: pem('server.key') }, (_request, response) =>
    response.end(),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The line of a request that failed. */
const lineOf = (log: readonly Record<string, unknown>[]) =>
  log.find(({ code, detail }) => code !== undefined && detail !== undefined);

/** What the log and the ticket say about a request, whose query must not occur. */
async function told(t: Test, api: object): Promise<{ readonly log: unknown; readonly why: unknown }> {
  const { port, log } = await gateway(t, behind('http://127.0.0.1:9', { ticket_keys: [key], upstreams: { api } }));
  const answer = await ask(port, requestText({ target: '/public/secret?token=hush' }));
  await until(() => lineOf(log) !== undefined);
  const opened = readTicket(ticketKeys([key]), JSON.parse(answer.body.toString()).ticket);
  const why = opened.kind === 'opened' ? opened.record.reason : opened.kind;
  return { log: lineOf(log)?.detail, why };
}

const silent: Script = () => {};
const closes: Script = ({ socket }) => socket.end();

t.test('a fault names the upstream, the host of its URL, and what happened', async (t) => {
  const [quiet, closing] = [await rawUpstream(t, silent), await rawUpstream(t, closes)];
  const [refused, secure] = [`http://127.0.0.1:${await freePort()}`, await secureApi(t)];
  const rows: readonly (readonly [api: { url: string }, words: string])[] = [
    [{ url: quiet.url, ...{ timeout: { response: '300ms' } } }, 'sent nothing within 0.3 s (`timeout.response`)'],
    [{ url: refused }, 'ECONNREFUSED: nothing listens there: start the program, or correct host and port'],
    [
      { url: closing.url },
      'ECONNRESET: it closed the connection: check that it speaks the protocol of the address, http: or https:',
    ],
    [
      { url: secure },
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE: its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
    ],
    [
      { url: quiet.url.replace('http:', 'https:') },
      'UND_ERR_CONNECT_TIMEOUT: check whether a firewall drops the packets, or raise `timeout: { connect }`',
    ],
  ];
  for (const [api, words] of rows) {
    const reason = `upstreams.api at ${new URL(api.url).host}: ${words}`;
    t.strictSame(await told(t, { timeout: { connect: '500ms' }, ...api }), { log: reason, why: reason });
  }
});

t.test('an upstream without TLS at an https: URL is named in words, not in those of OpenSSL', async (t) => {
  const plain = await serving(t, createServer());
  const { log } = await told(t, { url: plain.replace('http:', 'https:') });
  t.match(log, /^upstreams\.api at 127\.0\.0\.1:\d+: [A-Z_]+: it does not speak TLS/);
  t.notMatch(log, /routines|openssl/i);
});

t.test('a cut answer names its upstream too', async (t) => {
  const half = await rawUpstream(t, ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
  const { port, log } = await gateway(t, behind(half.url));
  await exchange(port, requestText({ target: '/public/a' }));
  t.ok(await until(() => lineOf(log) !== undefined));
  const { host } = new URL(half.url);
  t.match(lineOf(log), { detail: new RegExp(`^cut short: upstreams\\.api at ${host}: `) });
});
