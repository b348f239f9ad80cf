import t from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { followEvents } from '../../support/event-stream.ts';
import { inTime, lateness } from '../../support/lateness.ts';
import { basic, gateway, type Running, run, shop } from '../running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const path = '/oauth2/events';
const keyOf = (token: string) => sha256(token).toString('base64url');
const revoke = (service: Running, token: string, client = shop) =>
  service.post('/oauth2/revoke', { token }, basic(client));

t.test('a revocation reaches followers within a second, and later followers get the same event', async (t) => {
  const service = await run(t);
  const early = await followEvents(service.url + path, basic(gateway));
  await early.inStep();
  const { between } = await lateness(t);
  const token = await service.token();
  t.equal((await revoke(service, token)).status, 200);
  const answered = performance.now();
  const [frame] = await early.first(1);
  t.match(frame, { event: 'token_hash', data: { key: keyOf(token), until: Number } });
  t.strictSame(Object.keys(frame?.data ?? {}), ['key', 'until']);
  const figures = await between(answered, frame?.at ?? Number.POSITIVE_INFINITY);
  inTime(t, 'within a second, measured from the answer', 1_000, figures);
  const jwt = await service.token({}, shopJwt);
  const { jti, exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  await revoke(service, jwt, shopJwt);
  const told = await early.first(2);
  t.match(told.at(-1), { event: 'jti', data: { key: jti, until: exp } });
  const late = await followEvents(service.url + path, basic(gateway));
  await late.inStep();
  t.strictSame(
    late.frames.map(({ id, event }) => [id, event]),
    told.map(({ id, event }) => [id, event]),
  );
  early.close();
  late.close();
});
