import t from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { connectTo } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';

// A connection remembers the lines of its last section, and changes only the values that differ in the next one.

type Line = readonly [name: string, value: string];

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** What changes → the values, one request each. */
const sequences: Readonly<Record<string, readonly (readonly Line[])[]>> = {
  'a field that only the upstream reads': ['1', '2', '', '3'].map((value) => [['X-A', value]]),
  'a field that is dropped': ['1', '2', '3'].map((value) => [['X-Auth-Subject', value]]),
  'a field that the gateway writes too': ['127.0.0.1', '127.0.0.1', '6.6.6.6', '7.7.7.7'].map((value) => [
    ['X-Forwarded-For', value],
    ['Forwarded', `for=${value}`],
    ['X-Request-Id', value],
  ]),
  'Via, which the gateway writes too': ['1.1 gatehouse', '1.1 gatehouse', '1.1 a'].map((value) => [['Via', value]]),
  'TE, from which the gateway makes its own': ['gzip', 'gzip', 'trailers', 'gzip'].map((value) => [['TE', value]]),
  'the first of two lines with the same name': ['1', '1', '2', '3'].map((value) => [
    ['X-A', value],
    ['x-a', '1'],
  ]),
  'the last of two lines with the same name': ['1', '1', '2', '3'].map((value) => [
    ['X-A', '1'],
    ['x-a', value],
  ]),
  'a trace that breaks': [TRACE, TRACE, 'broken', 'broken', TRACE].map((value) => [
    ['traceparent', value],
    ['tracestate', 'a=1'],
  ]),
  'the state of a trace': ['a=1', 'a=2', 'a=3'].map((value) => [
    ['traceparent', TRACE],
    ['tracestate', value],
  ]),
  'a field that decides': ['text/plain', 'text/html', 'a/b'].map((value) => [['Content-Type', value]]),
  'the credential, on a route that hands it on': ['Bearer a', 'Bearer b', 'Bearer c'].map((value) => [
    ['Authorization', value],
    ['X-A', value],
  ]),
  'the number of hops': ['3', '2', '2', '0'].map((value) => [['Max-Forwards', value]]),
  'the client of a trusted proxy': ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((value) => [
    ['X-Forwarded-For', value],
    ['X-Request-Id', `id-${value}`],
  ]),
};

const settings = {
  none: {},
  'trusted proxies': { trusted_proxies: ['127.0.0.1/32'] },
  'trusted proxies that name the host': { trusted_proxies: { from: ['127.0.0.1/32'], host: 'forwarded' } },
  'another header for ids': { request_id: { header: 'X-A' } },
};

for (const [setting, more] of Object.entries(settings))
  t.test(`a changed value reaches the upstream as on a new connection: ${setting}`, async (t) => {
    const upstream = await witness(t);
    const routes = [
      { id: 'public', match: { path: '/public' }, access: 'public' },
      { id: 'orders', match: { path: '/orders' }, scope: 'orders.read' },
    ];
    const { port } = await gateway(t, behind(upstream.url, { routes, defaults: { upstream: 'api' }, ...more }));
    const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
    const seenBy = async (client: Awaited<ReturnType<typeof connectTo>>, target: string, headers: readonly Line[]) => {
      upstream.forget();
      client.send(requestText({ target, headers }));
      t.equal((await client.read())?.status, 200);
      return upstream.seen[0]?.rawHeaders.join('\n').replace(/\n[\w-]{12}-[\da-z]+(?=\n|$)/, '\nan id');
    };
    for (const [what, values] of Object.entries(sequences))
      for (const targets of [['/public'], ['/orders'], ['/public', '/orders']]) {
        if (what.includes('hands it on') && targets.includes('/orders')) continue;
        const own: Line[] = targets.includes('/orders') ? [bearer(token)] : [];
        const kept = await connectTo(port);
        for (const [index, lines] of values.entries()) {
          const headers = [...lines, ...own];
          const target = targets[index % targets.length] as string;
          const alone = await connectTo(port);
          const expected = await seenBy(alone, target, headers);
          alone.destroy();
          t.equal(await seenBy(kept, target, headers), expected, `${target}: ${what}: request ${index + 1}`);
        }
        kept.destroy();
      }
  });
