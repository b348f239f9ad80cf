import t from 'tap';
import { EngineFallback } from '../../../src/gateway/upstreams/engine-fallback.ts';

const TEN_MINUTES = 600_000;

function fallback(start = 0) {
  const told: string[] = [];
  const at = { now: start };
  const events = { onBegin: (because: string) => told.push(because), onEnd: () => told.push('over') };
  return { told, at, fallback: new EngineFallback(() => at.now, events) };
}

t.test('one unreadable answer changes nothing, the second one leads to undici', async (t) => {
  const { fallback: each, told } = fallback();
  t.equal(each.isOn, false);
  each.met('first');
  t.equal(each.isOn, false);
  each.met('second');
  t.equal(each.isOn, true);
  t.strictSame(told, ['second'], 'it is told once, with the last reason');
});

t.test('two unreadable answers ten minutes apart do not count together', async (t) => {
  const { fallback: each, at, told } = fallback();
  for (let i = 0; i < 5; i++) {
    each.met('now and then');
    at.now += TEN_MINUTES;
    t.equal(each.isOn, false);
  }
  each.met('then');
  at.now += TEN_MINUTES - 1;
  each.met('and soon after');
  t.equal(each.isOn, true);
  t.strictSame(told, ['and soon after']);
});

t.test('undici is used for ten minutes, and then it takes two more answers', async (t) => {
  const { fallback: each, at, told } = fallback();
  each.met('a');
  each.met('b');
  at.now += TEN_MINUTES - 1;
  t.equal(each.isOn, true);
  at.now++;
  t.equal(each.isOn, false);
  t.strictSame(told, ['b', 'over']);
  each.met('c');
  t.equal(each.isOn, false);
  each.met('d');
  t.equal(each.isOn, true);
  t.strictSame(told, ['b', 'over', 'd']);
});

t.test('answers that were on their way at the change neither count nor extend it', async (t) => {
  const { fallback: each, at, told } = fallback();
  each.met('a');
  each.met('b');
  at.now += TEN_MINUTES - 1;
  for (let i = 0; i < 3; i++) each.met('late');
  at.now++;
  t.equal(each.isOn, false);
  each.met('c');
  t.equal(each.isOn, false);
  t.strictSame(told, ['b', 'over']);
});
