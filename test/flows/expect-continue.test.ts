import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const expectation = ['Expect', '100-continue'] as const;

/** The head of an upload; the test sends its body. */
function head(target: string, headers: readonly (readonly [string, string])[] = [], version = 'HTTP/1.1'): Buffer {
  return requestText({ method: 'POST', target, version, headers: [expectation, ['Content-Length', '5'], ...headers] });
}

async function interim(client: RawClient): Promise<string> {
  await client.arrived(25);
  const text = client.unread.toString('latin1');
  return text.slice(0, text.indexOf('\r\n'));
}

async function bench(t: Test) {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  return { upstream, client: await open(t, port) };
}

t.test('100-continue comes after the decision, and then the body is forwarded', async (t) => {
  const { upstream, client } = await bench(t);
  client.send(head('/orders/1', [bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }))]));
  t.equal(await interim(client), 'HTTP/1.1 100 Continue');
  client.send('hello');
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 200);
  t.same(response?.interim, [100]);
  t.equal(upstream.seen[0]?.body.toString(), 'hello');
  t.same(upstream.seen[0]?.all('expect'), [], 'the expectation was met here');
});

t.test('a refused request gets its refusal and no 100', async (t) => {
  const { upstream, client } = await bench(t);
  client.send(head('/orders/1'));
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 401);
  t.same(response?.interim, []);
  t.equal(upstream.seen.length, 0);
});

t.test('a body beyond the limit is refused without 100', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { limits: { body: '4B' } }));
  const client = await open(t, port);
  client.send(head('/public/a'));
  const response = await client.read({ method: 'POST' });
  t.equal(response?.status, 413);
  t.same(response?.interim, []);
});

t.test('a body that must be read for its token gets a 100', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { bearer_methods_supported: ['header', 'body'] }));
  const client = await open(t, port);
  const form = `access_token=${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}&a=1`;
  const headers = [
    expectation,
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Length', String(form.length)],
  ] as const;
  client.send(requestText({ method: 'POST', target: '/orders/1', headers }));
  t.equal(await interim(client), 'HTTP/1.1 100 Continue');
  client.send(form);
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'a=1');
});

t.test('an expectation matches in any case, and one of HTTP/1.0 is ignored', async (t) => {
  const { client, upstream } = await bench(t);
  client.send(
    requestText({
      method: 'POST',
      target: '/public/a',
      headers: [
        ['expect', '100-CONTINUE'],
        ['Content-Length', '5'],
      ],
    }),
  );
  t.equal(await interim(client), 'HTTP/1.1 100 Continue');
  client.send('hello');
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  client.send(Buffer.concat([head('/public/a', [], 'HTTP/1.0'), Buffer.from('hello')]));
  const old = await client.read({ method: 'POST' });
  t.equal(old?.status, 200);
  t.same(old?.interim, [], 'HTTP/1.0 knows no interim answer (RFC 9110 §15.2)');
  t.same(
    upstream.seen.map(({ body }) => body.toString()),
    ['hello', 'hello'],
  );
});

t.test('a client that does not wait for 100 is served too', async (t) => {
  const { client, upstream } = await bench(t);
  client.send(Buffer.concat([head('/public/a'), Buffer.from('hello')]));
  t.equal((await client.read({ method: 'POST' }))?.status, 200);
  t.equal(upstream.seen[0]?.body.toString(), 'hello');
});

t.test('any other expectation is 417', async (t) => {
  const { client, upstream } = await bench(t);
  client.send(requestText({ target: '/public/a', headers: [['Expect', '200-ok']] }));
  t.equal((await client.read())?.status, 417);
  t.equal(upstream.seen.length, 0);
});
