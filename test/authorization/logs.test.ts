import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { buildLog } from '../../src/base/log.ts';
import { until } from '../support/until.ts';
import { basic, collector, gateway, run, shop } from './running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };

t.test('T37: no token and no secret is in the log, at any level, whatever the outcome', async (t) => {
  const service = await run(t);
  const [opaque, jwt] = [await service.token(), await service.token({}, shopJwt)];
  const typed = 'cs_mistyped-secret-0123456789';
  const grant = { grant_type: 'client_credentials' };
  await service.introspect(opaque);
  await service.introspect(jwt);
  await service.introspect(`${opaque}x`);
  await service.post('/oauth2/revoke', { token: opaque }, basic(shop));
  await service.post('/oauth2/revoke', { token: jwt }, basic(gateway));
  await service.post('/oauth2/token', { ...grant, client_id: 'shop', client_secret: shop.secret });
  await service.post('/oauth2/token', { ...grant, client_id: 'shop', client_secret: typed });
  await service.post('/oauth2/token', { ...grant, scope: typed, [typed]: typed }, basic(shop));
  await service.post('/oauth2/token', `${typed}=a&${typed}=b`, basic(shop));
  await service.post(`/oauth2/token?client_secret=${typed}`, grant);
  await service.post('/oauth2/token', grant, { authorization: `Bearer ${typed}`, cookie: typed });
  await service.post('/oauth2/token', { client_secret: typed, pad: 'x'.repeat(70_000) });
  await fetch(`${service.url}/${typed}?token=${opaque}`);
  await fetch(`${service.url}/oauth2/jwks?access_token=${opaque}`);
  await raw(service.url, `GARBAGE ${typed}\r\nAuthorization: ${typed}\r\n\r\n`);
  await raw(service.url, `GET /%zz?${typed} HTTP/1.1\r\nHost: ${typed}\r\nConnection: close\r\n\r\n`);
  await service.service.records.close();
  await service.post('/oauth2/introspect', { token: opaque }, basic(gateway));
  await service.post('/oauth2/token', grant, basic(shop));

  const logged = service.logged();
  t.match(logged, /"the store is unreachable: /, 'the log is there, and outages are in it');
  const encoded = (text: string) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').slice(0, 20),
    Buffer.from(text).toString('hex'),
  ];
  const secrets = [
    opaque,
    jwt,
    jwt.split('.')[2] ?? '',
    typed,
    shop.secret,
    gateway.secret,
    basic(shop).authorization?.slice(6) ?? '',
  ];
  for (const secret of secrets.flatMap(encoded)) t.notOk(logged.includes(secret), `${secret.slice(0, 8)}…`);
});

t.test('every request has one line with its id, which the answer carries too', async (t) => {
  const service = await run(t);
  const response = await service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shop));
  t.ok(await until(() => service.logged().includes('"answered"')));
  const lines = service
    .logged()
    .split('\n')
    .filter((line) => line.includes('"answered"'))
    .map((line) => JSON.parse(line));
  t.equal(lines.length, 1);
  t.match(lines[0], {
    request_id: response.headers.get('x-request-id'),
    endpoint: 'token',
    method: 'POST',
    status: 200,
    client_id: 'shop',
    address: '127.0.0.1',
  });
});

t.test('a bug is 500 in JSON with the id of its log line', async (t) => {
  const service = await run(t);
  service.service.records.findAccessToken = async () => {
    throw new TypeError('no such thing');
  };
  const token = await service.token();
  const response = await service.post('/oauth2/introspect', { token }, basic(gateway));
  const body = (await response.json()) as { error: string; error_description: string };
  t.strictSame([response.status, body.error], [500, 'server_error']);
  t.notMatch(JSON.stringify(body), /no such thing/);
  const id = /under the request id ([0-9a-f-]{36})\.$/.exec(body.error_description)?.[1] ?? 'none';
  t.match(
    service
      .logged()
      .split('\n')
      .find((line) => line.includes('no such thing')),
    new RegExp(id),
  );
});

t.test('a field with the name of a secret is always censored', async (t) => {
  const { sink, written } = collector();
  const log = buildLog({ level: 'trace', format: 'json' }, sink);
  log.info(
    {
      token: 's3cret',
      headers: { authorization: 's3cret', cookie: 's3cret' },
      req: { headers: { authorization: 's3cret' } },
      client_secret: 's3cret',
      body: { password: 's3cret', access_token: 's3cret', refresh_token: 's3cret' },
    },
    'x',
  );
  t.notMatch(written(), /s3cret/);
  t.match(written(), /\[redacted\]/);
});

t.test('the pretty format is readable for people', async (t) => {
  const { sink, written } = collector();
  buildLog({ level: 'info', format: 'pretty' }, sink).info({ token: 's3cret' }, 'hello');
  t.match(written(), /INFO.*hello/);
  t.notMatch(written(), /s3cret/);
});

async function raw(url: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket
    .on('error', () => {})
    .resume()
    .write(bytes);
  await once(socket, 'close');
}
