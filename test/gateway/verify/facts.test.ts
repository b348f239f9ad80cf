import t from 'tap';
import { identityOf } from '../../../src/gateway/verify/facts.ts';

const source = { issuer: 'https://auth.example.com', server: 'main', scopeClaims: ['scope'] };

const cases: readonly (readonly [claims: Record<string, unknown>, client: string | undefined])[] = [
  [{ client_id: 'a', azp: 'b', cid: 'c', appid: 'd' }, 'a'],
  [{ appid: 'd', cid: 'c', azp: 'b' }, 'b'],
  [{ appid: 'd', cid: 'c' }, 'c'],
  [{ appid: 'd' }, 'd'],
  [{ client_id: 7, azp: 'b' }, undefined],
  [{ sub: 'alice' }, undefined],
];

t.test('the client is named by client_id (RFC 9068 §2.2), else by what older servers call it', async (t) => {
  for (const [claims, client] of cases) t.equal(identityOf(claims, source).clientId, client, JSON.stringify(claims));
});
