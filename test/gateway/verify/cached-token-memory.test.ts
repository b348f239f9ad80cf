import t from 'tap';
import { outage } from '../../../src/base/verdict.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import { factsCache } from '../../../src/gateway/verify/facts-cache.ts';
import { ownMemory } from '../../support/memory.ts';
import { heldClock } from '../issuer.ts';

const TOKENS = 200;
/** Bytes of a header section. */
const SECTION = 100_000;

t.test('a cached token keeps nothing of the header section in which it came', async (t) => {
  const list = new DenyList({ leeway: 0 });
  const cache = factsCache({
    size: TOKENS,
    skew: 0,
    clock: heldClock(),
    holds: () => true,
    revocations: { generation: 0, denies: (marks) => list.denies(marks), doubt: () => undefined },
    maxStaleness: 60_000,
    doubtful: outage('authorization_servers.main', 5, 'the feed is silent'),
  });
  const { heapUsed: before } = await ownMemory();
  for (let count = 0; count < TOKENS; count++) cache.put(tokenOf(count), facts());
  const { heapUsed: after } = await ownMemory();
  t.equal(cache.size(), TOKENS);
  const grown = (after - before) / (TOKENS * SECTION);
  t.comment(`${(grown * 100).toFixed(1)} % of the sections are in memory`);
  t.ok(grown < 0.2, `${grown.toFixed(2)} of the sections`);
});

/** A slice, as a listener cuts it from the section. */
function tokenOf(count: number): string {
  const token = `token-${String(count).padStart(40, '0')}`;
  const section = Buffer.from(`${token}\r\nX-Long: ${'x'.repeat(SECTION)}`).toString('latin1');
  return section.slice(0, token.length);
}

function facts() {
  const identity = { marks: {}, scopes: new Set<string>() } as unknown as Identity;
  const kind = 'facts' as const;
  return { kind, identity, jwt: false, key: undefined, leeway: 0, asked: true, freshFor: 60_000, staleFor: 0 };
}
