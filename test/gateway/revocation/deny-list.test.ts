import t from 'tap';
import type { TokenMarks } from '../../../src/gateway/message/identity.ts';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import type { FeedSink, RevocationEvent } from '../../../src/gateway/revocation/events.ts';
import { type Apply, revocations } from '../../../src/gateway/revocation/revocations.ts';
import { settableClock } from '../../support/settable-clock.ts';

const marks: TokenMarks = {
  kid: 'k',
  jti: 'j',
  gid: 'g',
  sid: 's',
  subject: 's',
  client: 'c',
  issuedAt: 1_000,
  hash: 'h',
};

const cases: readonly (readonly [event: RevocationEvent, denied: boolean])[] = [
  [{ kind: 'kid', key: 'k', until: 2_000 }, true],
  [{ kind: 'jti', key: 'j', until: 2_000 }, true],
  [{ kind: 'gid', key: 'g', until: 2_000 }, true],
  [{ kind: 'sid', key: 's', until: 2_000 }, true],
  [{ kind: 'sid', key: 'g', until: 2_000 }, false],
  [{ kind: 'token_hash', key: 'h', until: 2_000 }, true],
  [{ kind: 'sub_nbf', key: 's', until: 2_000, nbf: 1_001 }, true],
  [{ kind: 'sub_nbf', key: 's', until: 2_000, nbf: 1_000 }, false],
  [{ kind: 'client_nbf', key: 'c', until: 2_000, nbf: 1_001 }, true],
  [{ kind: 'client_nbf', key: 'c', until: 2_000, nbf: 1_000 }, false],
  [{ kind: 'kid', key: 'j', until: 2_000 }, false],
  [{ kind: 'jti', key: 'k', until: 2_000 }, false],
  [{ kind: 'gid', key: 's', until: 2_000 }, false],
  [{ kind: 'sub_nbf', key: 'c', until: 2_000, nbf: 9_999 }, false],
];

t.test('an event ends only the tokens that it names', async (t) => {
  for (const [event, denied] of cases) {
    const list = new DenyList({ leeway: 0 });
    list.add(event);
    t.equal(list.denies(marks), denied ? event.kind : undefined, JSON.stringify(event));
  }
});

t.test(
  'any level ends a token: an older cut-off does not undo a newer one, nor a shorter end a longer one',
  async (t) => {
    const list = new DenyList({ leeway: 0 });
    list.add({ kind: 'sub_nbf', key: 's', until: 3_000, nbf: 1_001 });
    list.add({ kind: 'sub_nbf', key: 's', until: 2_000, nbf: 500 });
    for (let time = 0; time < 20; time++) list.sweep(2_500);
    t.ok(list.denies(marks));
    t.equal(list.size, 1);
  },
);

t.test('a token without an issue time may be from before the event', async (t) => {
  const list = new DenyList({ leeway: 0 });
  list.add({ kind: 'sub_nbf', key: 's', until: 2_000, nbf: 1 });
  t.ok(list.denies({ ...marks, issuedAt: undefined }));
});

t.test(
  'an entry is deleted when its tokens could no longer be accepted, including the tolerance for clocks',
  async (t) => {
    const list = new DenyList({ leeway: 30 });
    list.add({ kind: 'jti', key: 'j', until: 2_000 });
    for (let time = 0; time < 20; time++) list.sweep(2_029);
    t.ok(list.denies(marks));
    for (let time = 0; time < 20; time++) list.sweep(2_030);
    t.notOk(list.denies(marks));
    t.equal(list.size, 0);
  },
);

t.test('long keys take several places, so that no feed fills memory with them', async (t) => {
  const list = new DenyList({ most: 20, leeway: 0 });
  const jti = (key: string) => ({ kind: 'jti', key, until: 2_000 }) as const;
  t.ok(list.add(jti('a'.repeat(512))));
  t.ok(list.add(jti('ä'.repeat(512))));
  t.notOk(list.add(jti('€'.repeat(512))), 'in two bytes a character');
  for (const key of ['1', '2', '3', '4']) t.ok(list.add(jti(key)));
  t.notOk(list.add(jti('5')));
  t.ok(list.add(jti('a'.repeat(512))), 'what is known needs no other place');
  for (let time = 0; time < 20; time++) list.sweep(3_000);
  t.equal(list.size, 0);
  for (let key = 0; key < 20; key++) t.ok(list.add(jti(String(key))), 'all places are free again');
});

function stage({ most = 2, maxStaleness = 60_000 }: { most?: number; maxStaleness?: number } = {}) {
  const clock = settableClock(1_000_000_000);
  let say: FeedSink = () => {};
  const forgotten = { times: 0 };
  const apply: Apply = { forget: () => void forgotten.times++, ended: () => {} };
  const rules = { onStale: 'deny', maxStaleness, skew: 0, most } as const;
  const told = revocations(
    (sink) => {
      say = sink;
      return { start() {}, close() {} };
    },
    rules,
    { ...apply, clock },
  );
  return {
    clock,
    told,
    forgotten,
    say: (...messages: Parameters<FeedSink>[0][]) => messages.map((each) => say(each)),
  };
}

t.test(
  'an event without a place is not forgotten silently: the feed counts as stale until the last such event has expired',
  async (t) => {
    const { clock, told, forgotten, say } = stage();
    const now = clock.now() / 1000;
    const jti = (key: string, until: number) => ({ kind: 'event', event: { kind: 'jti', key, until } }) as const;
    say(jti('a', now + 10), jti('b', now + 10), { kind: 'in_step' });
    t.equal(told.doubt(), undefined);
    say(jti('c', now + 50), { kind: 'in_step' });
    t.equal(told.doubt(), 'deny');
    t.equal(forgotten.times, 1, 'what is remembered could be that one');
    clock.advance(51_000);
    say({ kind: 'in_step' });
    t.equal(told.doubt(), undefined);
  },
);

t.test('a span of the feed lasts as long as nothing was missed in it', async (t) => {
  const cases = [
    { maxStaleness: 60_000, gaps: [0, 30_000, 59_000, 61_000, 0], spans: [1, 1, 1, 2, 2] },
    // Longer than events are kept. Until the feed is back, its last events still apply.
    { maxStaleness: 3_600_000, gaps: [0, 299_000, 301_000, 0], spans: [1, 1, 2, 2] },
  ];
  for (const { maxStaleness, gaps, spans } of cases) {
    const { clock, told, say } = stage({ maxStaleness });
    const seen = gaps.map((gap) => {
      clock.advance(gap);
      say({ kind: 'lost' }, { kind: 'in_step' });
      return told.span;
    });
    t.strictSame(seen, spans);
  }
});

t.test('a feed is in doubt from the start, after max_staleness, and not in between', async (t) => {
  const { clock, told, say } = stage();
  t.equal(told.doubt(), 'deny');
  say({ kind: 'in_step' });
  t.equal(told.doubt(), undefined);
  say({ kind: 'lost' });
  clock.advance(59_999);
  t.equal(told.doubt(), undefined);
  clock.advance(1);
  t.equal(told.doubt(), 'deny');
});
