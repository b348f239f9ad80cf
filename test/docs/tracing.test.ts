import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { type Endpoint, endpoint, json } from '../support/endpoint.ts';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { textOf } from './cookbook.ts';

/** The page as its reader follows it: a gateway in a separate process, and a collector that accepts OTLP over HTTP. */

/** Starts programs: 8 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const [, snippet = ''] = /^```js\n(.*?)^```$/ms.exec(textOf('tracing.md')) ?? [];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const batches = ({ calls }: Endpoint): Otlp['resourceSpans'] =>
  calls.flatMap(({ body }) => (JSON.parse(body) as Otlp).resourceSpans);
const spansAt = (collector: Endpoint) =>
  batches(collector).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

async function started(
  t: Test,
  url: string,
  env: Record<string, string>,
  changes: object = {},
): Promise<GatewayProcess> {
  const gateway = await startProcess({ config: behind(url, changes), env });
  t.teardown(() => gateway.stop());
  return gateway;
}

async function collected(t: Test) {
  const upstream = await witness(t);
  const collector = await endpoint(t, (_request, response) => json(response, {}));
  const directory = t.testdir({ 'otel.mjs': snippet });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    NODE_OPTIONS: `--import ${pathToFileURL(`${directory}/otel.mjs`)}`,
  };
  return { upstream, collector, env };
}

const orders = async (token = 'none') => requestText({ target: '/orders/7?page=canary', headers: [bearer(token)] });

t.test('with the snippet every span is at the collector once the gateway has stopped, and no secret is', async (t) => {
  const { upstream, collector, env } = await collected(t);
  const gateway = await started(t, upstream.url, env);
  const token = await jwt({ scope: 'orders.read', sub: 'canary-sub' }, { alg: 'HS256' });
  t.equal((await ask(gateway.port, await orders(token))).status, 200);
  t.equal((await ask(gateway.port, await orders())).status, 401);
  t.equal(await gateway.stop(), 0);
  const spans = spansAt(collector);
  t.strictSame(spans.map(({ kind, name }) => `${kind} ${name}`).toSorted(), [
    '1 verify',
    '2 GET /orders/{rest*}',
    '2 GET /orders/{rest*}',
    '3 GET',
  ]);
  const client = spans.find(({ kind }) => kind === 3);
  t.equal(upstream.seen[0]?.header('traceparent'), `00-${client?.traceId}-${client?.spanId}-01`);
  t.ok(spans.some(({ spanId, kind }) => kind === 2 && spanId === client?.parentSpanId));
  const [batch] = batches(collector);
  const service = batch?.resource.attributes.find(({ key }) => key === 'service.name');
  t.equal(service?.value.stringValue, 'gatehouse');
  const told = collector.calls.map(({ body }) => body).join();
  t.notMatch(told, 'canary');
  t.notMatch(told, token);
});

t.test('every worker loads the snippet', async (t) => {
  const { upstream, collector, env } = await collected(t);
  const gateway = await started(t, upstream.url, env, { workers: 2 });
  for (let count = 0; count < 4; count++) await ask(gateway.port, requestText({ target: '/public/a' }));
  t.equal(await gateway.stop(), 0);
  t.equal(spansAt(collector).filter(({ kind }) => kind === 2).length, 4);
});

t.test('without the snippet nothing leaves the process, even if the environment names a collector', async (t) => {
  const { upstream, collector, env } = await collected(t);
  const { NODE_OPTIONS: _, ...rest } = env;
  const gateway = await started(t, upstream.url, { ...rest, OTEL_TRACES_EXPORTER: 'otlp' });
  t.equal((await ask(gateway.port, requestText({ target: '/public/a' }))).status, 200);
  t.ok(await until(() => upstream.seen.length === 1));
  t.equal(await gateway.stop(), 0);
  t.strictSame(collector.calls, []);
  t.strictSame(upstream.seen[0]?.all('traceparent'), []);
});

t.test('an unavailable collector affects neither requests nor the stop', async (t) => {
  const { upstream, collector, env } = await collected(t);
  await collector.down();
  const gateway = await started(t, upstream.url, env);
  t.equal((await ask(gateway.port, requestText({ target: '/public/a' }))).status, 200);
  t.equal(await gateway.stop(), 0);
});
