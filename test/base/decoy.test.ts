import t from 'tap';
import { decoyCost } from '../../src/base/decoy.ts';

const key = Buffer.from('a key that strangers do not know');
const names = Array.from({ length: 3_000 }, (_, index) => `user-${index}`);
const shareOf = (cost: string, costs: ReadonlyMap<string, number>) =>
  names.filter((name) => decoyCost(key, name, costs) === cost).length / names.length;

t.test('without stored costs there is no decoy cost', async (t) => {
  t.equal(decoyCost(key, 'alice', new Map()), undefined);
});

t.test('a name has the same cost each time, and another cost with another key', async (t) => {
  const costs = new Map([
    ['cheap', 1],
    ['dear', 1],
  ]);
  const under = (secret: Uint8Array) => names.map((name) => decoyCost(secret, name, costs)).join();
  t.equal(under(key), under(key));
  t.not(under(key), under(Buffer.from('another key')));
});

t.test('each cost is as frequent among unknown names as among users', async (t) => {
  const costs = new Map([
    ['cheap', 70],
    ['dear', 25],
    ['rare', 5],
  ]);
  for (const [cost, count] of costs) {
    const share = shareOf(cost, costs);
    t.ok(Math.abs(share - count / 100) < 0.03, `${cost}: ${share}`);
  }
});

t.test('adding or removing a cost does not change names that have other costs', async (t) => {
  const [before, after] = [
    new Map([
      ['a', 3],
      ['b', 1],
    ]),
    new Map([
      ['c', 4],
      ['a', 3],
      ['b', 1],
    ]),
  ];
  const changed = names.filter((name) => decoyCost(key, name, before) !== decoyCost(key, name, after));
  t.ok(changed.every((name) => decoyCost(key, name, after) === 'c'));
  t.ok(Math.abs(changed.length / names.length - 0.5) < 0.04, String(changed.length));
});
