import t from 'tap';
import type { CountedBy } from '../../../src/config/words/counted-by.ts';
import { compileRateLimit, limitText } from '../../../src/gateway/decide/rate-limit.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import { alice } from './decider.ts';

/** The key under which an identity is counted. */
function keyOf(by: CountedBy, identity: Partial<Identity> = {}, id = 'r'): string {
  let key = '';
  const take = (name: string) => {
    key = name;
    return 0;
  };
  compileRateLimit(id, { by, requests: 5, per: 60_000 }, take).identity({ ...alice, ...identity });
  return key;
}

const claim = (path: string): CountedBy => ({ kind: 'claim', path });

t.test('identities are counted separately by route, kind, server and value', async (t) => {
  t.equal(keyOf({ kind: 'client_id' }), '1:r client_id https://auth.example.com =shop');
  t.equal(keyOf({ kind: 'sub' }), '1:r sub https://auth.example.com =alice');
  t.equal(keyOf(claim('tenant')), '1:r claim:tenant https://auth.example.com ="acme"');
  t.not(keyOf({ kind: 'sub' }, { issuer: 'https://other.example.com' }), keyOf({ kind: 'sub' }));
  t.not(keyOf({ kind: 'sub' }, {}, 'r1'), keyOf({ kind: 'sub' }, {}, 'r2'));
});

t.test('identities without the value share a bucket that no value can name', async (t) => {
  t.equal(keyOf({ kind: 'client_id' }, { clientId: undefined }), '1:r client_id https://auth.example.com ');
  t.equal(keyOf({ kind: 'sub' }, { subject: undefined }), '1:r sub https://auth.example.com ');
  t.equal(keyOf(claim('none')), '1:r claim:none https://auth.example.com ');
  t.not(keyOf({ kind: 'sub' }, { subject: '' }), keyOf({ kind: 'sub' }, { subject: undefined }));
  t.equal(keyOf({ kind: 'address' }), '1:r address https://auth.example.com ');
});

t.test('values of another type are other values', async (t) => {
  const counted = (value: unknown) => keyOf(claim('x'), { claims: { x: value } });
  t.equal(new Set([1, '1', [1], true, 'true', null].map(counted)).size, 6);
});

t.test('an address is counted by its block, with the limit of the file', async (t) => {
  const seen: unknown[] = [];
  const limit = compileRateLimit('r', { by: { kind: 'address' }, requests: 5, per: 60_000 }, (key, rate) => {
    seen.push([key, rate]);
    return 7;
  });
  t.equal(limit.address('2001:db8:1:2:3::4'), 7);
  limit.address('2001:db8:1:2:ffff::');
  limit.address('192.0.2.1');
  t.strictSame(seen[0], seen[1], 'one /64 is one client');
  t.strictSame(seen[2], ['1:r address 192.0.2.1', { requests: 5, window: 60_000 }]);
  t.ok(limit.byAddress);
  t.notOk(compileRateLimit('r', { by: { kind: 'sub' }, requests: 5, per: 1000 }, () => 0).byAddress);
});

t.test('a limit is described in words', async (t) => {
  t.equal(limitText({ by: claim('tenant'), requests: 5, per: 1500 }), '5 in 1.5 s by claim:tenant');
  t.equal(compileRateLimit('r', { by: { kind: 'sub' }, requests: 5, per: 1000 }, () => 0).text, '5 in 1 s by sub');
});
