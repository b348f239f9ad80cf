import t from 'tap';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import { ownMemory } from '../../support/memory.ts';

t.test('an active revocation takes at most 200 bytes', async (t) => {
  const list = new DenyList({ leeway: 30 });
  const kinds = ['kid', 'jti', 'gid', 'token_hash', 'sub_nbf', 'client_nbf'] as const;
  const { heapUsed: before } = await ownMemory();
  const entries = 100_000;
  for (let index = 0; index < entries; index++) {
    const kind = kinds[index % kinds.length] as (typeof kinds)[number];
    list.add(
      JSON.parse(JSON.stringify({ kind, key: crypto.randomUUID(), until: 1_800_000_000 + index, nbf: 1_800_000_000 })),
    );
  }
  const bytes = ((await ownMemory()).heapUsed - before) / entries;
  t.equal(list.size, entries);
  t.ok(bytes <= 200, `${bytes.toFixed(0)} bytes`);
  t.comment(`${bytes.toFixed(0)} bytes a revocation`);
});
