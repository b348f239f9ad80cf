import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { type Seen, witness } from '../support/witness.ts';

/** A client's trace headers if no SDK is loaded: the gateway forwards W3C Trace Context unchanged. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${TRACE}-00f067aa0ba902b7-01`;

type Fields = readonly (readonly [string, string])[];

async function sent(t: Test, headers: Fields, changes: object = {}) {
  const upstream = await witness(t);
  const { port, log } = await gateway(t, behind(upstream.url, changes));
  await ask(port, requestText({ target: '/public/a', headers }));
  await until(() => log.some(({ msg }) => msg === 'forwarded'));
  return { seen: upstream.seen[0] as Seen, record: log.find(({ msg }) => msg === 'forwarded') };
}

/** Name and value of everything that could belong to a trace. */
function traced({ rawHeaders }: Seen): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && /trace|b3|baggage/i.test(name) ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
}

t.test('traceparent and tracestate arrive byte-equal, and the decision names the trace', async (t) => {
  const { seen, record } = await sent(t, [
    ['TraceParent', parent],
    ['Tracestate', 'rojo=00f067aa0ba902b7,  congo=t61rcWkgMzE'],
    ['tracestate', 'a=b'],
  ]);
  t.strictSame(traced(seen), [
    `traceparent: ${parent}`,
    'tracestate: rojo=00f067aa0ba902b7,  congo=t61rcWkgMzE',
    'tracestate: a=b',
  ]);
  t.equal(record?.trace_id, TRACE);
});

t.test('a later version arrives unchanged', async (t) => {
  const later = `cc-${TRACE}-00f067aa0ba902b7-01-what-the-future-will-be-like`;
  const { seen, record } = await sent(t, [['traceparent', later]]);
  t.strictSame(traced(seen), [`traceparent: ${later}`]);
  t.equal(record?.trace_id, TRACE);
});

t.test('without a trace header none is added, and no trace is named', async (t) => {
  const { seen, record } = await sent(t, []);
  t.strictSame(traced(seen), []);
  t.notOk(Object.hasOwn(record ?? {}, 'trace_id'));
});

const broken: Readonly<Record<string, Fields>> = {
  'malformed ids': [
    ['traceparent', `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`],
    ['tracestate', 'a=b'],
  ],
  'two lines, even equal ones': [
    ['traceparent', parent],
    ['traceparent', parent],
    ['tracestate', 'a=b'],
  ],
  'a tracestate alone': [['tracestate', 'a=b']],
  'a traceparent that is for this connection': [
    ['traceparent', parent],
    ['tracestate', 'a=b'],
    ['connection', 'traceparent'],
  ],
};

for (const [title, headers] of Object.entries(broken)) {
  t.test(`dropped whole: ${title}`, async (t) => {
    const { seen } = await sent(t, headers);
    t.strictSame(traced(seen), []);
  });
}

t.test('shadow mode removes nothing from a request, not even a malformed header', async (t) => {
  const { seen, record } = await sent(t, [['traceparent', 'nonsense']], { mode: 'shadow' });
  t.strictSame(traced(seen), ['traceparent: nonsense']);
  t.notOk(Object.hasOwn(record ?? {}, 'trace_id'));
});

t.test('a refusal names the trace too', async (t) => {
  const { port, log } = await gateway(t, behind('http://127.0.0.1:9'));
  const { status } = await ask(port, requestText({ target: '/orders/1', headers: [['traceparent', parent]] }));
  t.equal(status, 401);
  t.equal(log.find(({ code }) => code === 'credential_missing')?.trace_id, TRACE);
});

t.test('an HTTP/2 upstream gets the same', async (t) => {
  const upstream = await http2Upstream(t);
  const file = behind(upstream.url, { upstreams: { api: { url: upstream.url, http2: true } } });
  const { port } = await gateway(t, file);
  await ask(port, requestText({ target: '/public/a', headers: [['traceparent', parent]] }));
  t.equal(upstream.seen[0]?.headers.traceparent, parent);
});
