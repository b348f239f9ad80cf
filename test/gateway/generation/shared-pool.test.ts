import t from 'tap';
import { SharedPool } from '../../../src/gateway/generation/shared-pool.ts';
import { Lease } from '../../../src/gateway/message/lease.ts';

function holdings() {
  const closed: string[] = [];
  let opened = 0;
  const held = new SharedPool<string>(async (thing) => void closed.push(thing));
  const take = (lease: Lease, block: unknown) => held.take(lease, block, () => `thing ${++opened}`);
  return { held, closed, take };
}

t.test('a lease ends after its last user, and once', async (t) => {
  const lease = new Lease();
  let ends = 0;
  lease.onEnd(() => ends++);
  lease.take();
  lease.release();
  t.equal(ends, 0);
  lease.release();
  t.equal(ends, 1);
  lease.take();
  lease.release();
  t.equal(ends, 1);
});

t.test(
  'a resource with the same settings in the next file is kept, and closed after the last generation',
  async (t) => {
    const { closed, take } = holdings();
    const [first, second] = [new Lease(), new Lease()];
    t.equal(take(first, ['main', { a: 1 }]), 'thing 1');
    t.equal(take(second, ['main', { a: 1 }]), 'thing 1');
    first.release();
    t.strictSame(closed, []);
    second.release();
    t.strictSame(closed, ['thing 1']);
  },
);

t.test('a resource with other settings in the next file is opened again beside the old one', async (t) => {
  const { closed, take } = holdings();
  const [first, second] = [new Lease(), new Lease()];
  take(first, ['main', { a: 1 }]);
  t.equal(take(second, ['main', { a: 2 }]), 'thing 2');
  first.release();
  t.strictSame(closed, ['thing 1']);
});

t.test('closing everything ignores leases, and nothing is closed twice', async (t) => {
  const { held, closed, take } = holdings();
  const lease = new Lease();
  take(lease, 'main');
  await held.close();
  lease.release();
  t.strictSame(closed, ['thing 1']);
});
