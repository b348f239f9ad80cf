import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sha256 } from '../../src/base/secret.ts';
import { basic, gateway, shop } from '../authorization/running-service.ts';
import { followEvents } from '../support/event-stream.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { beside } from './administered.ts';

// each command is a separate process

const path = '/oauth2/events';
const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

t.test(
  'the command ends the tokens of a client, its JWTs too, and its next tokens are valid immediately',
  async (t) => {
    const { service, json, gatehouse } = await beside(t);
    const follower = await followEvents(service.url + path, basic(gateway));
    await follower.inStep();
    const [opaque, jwt, others] = [await service.token(), await service.token({}, shopJwt), await service.token()];
    const said = json(['client', 'revoke-tokens', 'shop-jwt']);
    const next = await service.token({}, shopJwt);
    t.match(said, { client_id: 'shop-jwt', revoked: true, issued_before: String });
    const [frame] = await follower.first(1);
    t.match(frame, {
      event: 'client_nbf',
      data: { key: 'shop-jwt', nbf: Date.parse(said.issued_before ?? '') / 1000 },
    });
    const nbf = frame?.data.nbf ?? 0;
    t.ok(claimsOf(jwt).iat < nbf && claimsOf(next).iat >= nbf);
    t.strictSame(await service.introspect(jwt), { active: false });
    t.match(await service.introspect(next), { active: true });
    t.match(await service.introspect(opaque), { active: true }, 'of another client');
    json(['client', 'revoke-tokens', 'shop']);
    for (const token of [opaque, others]) t.strictSame(await service.introspect(token), { active: false });
    const audit = readFileSync(join(service.directory, 'audit.jsonl'), 'utf8').trim().split('\n');
    t.strictSame(
      audit.map((line) => JSON.parse(line)).map(({ event, client_id }) => [event, client_id]),
      [
        ['client_tokens_revoked', 'shop-jwt'],
        ['client_tokens_revoked', 'shop'],
      ],
    );
    t.equal(gatehouse(['client', 'revoke-tokens', 'nobody']).status, 1);
    follower.close();
  },
);

t.test('the revocation of a token by a command in another process is announced within a second', async (t) => {
  const { service, json } = await beside(t);
  const follower = await followEvents(service.url + path, basic(gateway));
  await follower.inStep();
  const { between } = await lateness(t);
  const token = await service.token();
  t.strictSame(json(['token', 'revoke'], token), { revoked: true });
  const done = performance.now();
  const [frame] = await follower.first(1);
  t.match(frame, { event: 'token_hash', data: { key: sha256(token).toString('base64url') } });
  inTime(t, 'within a second', 1_000, await between(done, frame?.at ?? Number.POSITIVE_INFINITY));
  follower.close();
});
