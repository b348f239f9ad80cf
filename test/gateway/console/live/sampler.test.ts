import t from 'tap';
import { LiveHub, type LiveMessage } from '../../../../src/gateway/console/live/hub.ts';
import { type Batch, Sampler } from '../../../../src/gateway/console/live/sampler.ts';
import { readHead } from '../../../../src/gateway/message/request-head.ts';
import type { Decision } from '../../../../src/gateway/telemetry/decision-record.ts';
import type { Observer } from '../../../../src/gateway/telemetry/decisions.ts';
import { settableClock } from '../../../support/settable-clock.ts';

const origin = {
  address: '192.0.2.1',
  secure: false,
  chain: '',
  host: undefined,
  requestId: undefined,
  isProxied: false,
};

function decision(code: Decision['code'], target = '/orders', status = code === 'forwarded' ? 200 : 403): Decision {
  const head = readHead({ method: 'GET', target, version: '1.1', origin, rawHeaders: ['Host', 'api'] });
  return { code, outcome: undefined, head, requestId: '1', status, milliseconds: 1 };
}

/** A process that decides, and its sampler. */
class Process {
  readonly observers = new Set<Observer>();
  readonly batches: Batch[] = [];
  readonly sampler: Sampler;

  constructor(take: (batch: Batch) => void = () => {}) {
    const observe = (observer: Observer) => {
      this.observers.add(observer);
      return () => this.observers.delete(observer);
    };
    this.sampler = new Sampler({ observe: observe as never }, settableClock(), (batch) => {
      this.batches.push(batch);
      take(batch);
    });
  }

  decide(...all: readonly Decision[]): void {
    for (const each of all) for (const observer of this.observers) observer(each);
  }
}

function paths(records: readonly string[]): readonly string[] {
  return records.map((json) => JSON.parse(json).path);
}

t.test('without a viewer, nothing observes the decisions', async (t) => {
  const process = new Process();
  t.equal(process.observers.size, 0);
  process.sampler.watch([{ id: 1, filter: '' }]);
  t.equal(process.observers.size, 1);
  process.sampler.watch([]);
  t.equal(process.observers.size, 0);
});

t.test('a viewer gets at most 100 forwarded and 100 other decisions at once, then 25 of each in a batch', async (t) => {
  const process = new Process();
  process.sampler.watch([{ id: 1, filter: '' }]);
  const many = (code: Decision['code'], count: number) => Array.from({ length: count }, () => decision(code));
  process.decide(
    ...many('forwarded', 1_000),
    ...many('scope_insufficient', 30),
    decision('upstream_timeout', '/x', 504),
  );
  process.sampler.flush();
  const [batch] = process.batches;
  t.equal(batch?.records.length, 131);
  t.strictSame(batch?.left, [[1, 900]]);
  t.strictSame(batch?.totals, { passed: 1_000, refused: 30, failed: 1 });
  process.decide(...many('forwarded', 1_000));
  process.sampler.flush();
  t.equal(process.batches[1]?.records.length, 25);
  t.strictSame(process.batches[1]?.left, [[1, 975]]);
  process.sampler.flush();
  process.sampler.flush();
  process.decide(...many('forwarded', 60));
  process.sampler.flush();
  t.equal(process.batches[4]?.records.length, 60, 'a burst after a pause is shown');
  process.sampler.watch([]);
});

t.test('a filter also selects among more decisions than a batch has', async (t) => {
  const process = new Process();
  process.sampler.watch([{ id: 7, filter: '/rare' }]);
  process.decide(...Array.from({ length: 500 }, () => decision('forwarded')), decision('forwarded', '/rare?secret'));
  process.sampler.flush();
  t.strictSame(paths(process.batches[0]?.records.map(({ json }) => json) ?? []), ['/rare']);
  t.strictSame(process.batches[0]?.left, []);
  process.sampler.watch([]);
});

/** A hub over two processes, and a viewer. */
function hub(): { hub: LiveHub; one: Process; two: Process } {
  const one: Process = new Process((batch) => made.receive(batch, 'worker 0'));
  const two: Process = new Process((batch) => made.receive(batch, 'worker 1'));
  const made = new LiveHub({
    watch(audiences) {
      one.sampler.watch(audiences);
      two.sampler.watch(audiences);
    },
  });
  return { hub: made, one, two };
}

t.test('a viewer gets the decisions of all processes, each with its process', async (t) => {
  const { hub: made, one, two } = hub();
  const got: string[] = [];
  const leave = made.open({ filter: '-/no' }, { take: ({ records }) => void got.push(...records) });
  one.decide(decision('forwarded', '/a'), decision('forwarded', '/no'));
  two.decide(decision('forwarded', '/b'));
  one.sampler.flush();
  two.sampler.flush();
  t.strictSame(paths(got), ['/a', '/b']);
  t.strictSame(
    got.map((json) => JSON.parse(json).process),
    ['worker 0', 'worker 1'],
  );
  leave();
  t.equal(one.observers.size + two.observers.size, 0, 'nothing observes after the last viewer');
});

t.test('a viewer that comes back gets what it missed, once, and only what its filter wants', async (t) => {
  const { hub: made, one } = hub();
  const messages: LiveMessage[] = [];
  const stay = made.open({ filter: '' }, { take: () => {} });
  const leave = made.open({ filter: '/a' }, { take: (message) => void messages.push(message) });
  one.decide(decision('forwarded', '/a/1'));
  one.sampler.flush();
  leave();
  one.decide(decision('forwarded', '/a/2'), decision('forwarded', '/b'));
  one.sampler.flush();
  t.strictSame(paths(made.recent({ filter: '/a', since: messages.at(-1)?.id })), ['/a/2']);
  t.strictSame(paths(made.recent({ filter: '/a' })), ['/a/1', '/a/2']);
  t.strictSame(paths(made.recent({ filter: '/a', since: 'another-process.1' })), ['/a/1', '/a/2']);
  t.strictSame(paths(made.recent({ filter: '/a', since: `${messages.at(-1)?.id}x` })), ['/a/1', '/a/2']);
  stay();
});

t.test('at most 2,000 decisions are kept for viewers that come later', async (t) => {
  const { hub: made, one } = hub();
  const leave = made.open({ filter: '' }, { take: () => {} });
  for (let batch = 0; batch < 300; batch++) {
    one.decide(...Array.from({ length: 25 }, (_, index) => decision('forwarded', `/${batch}/${index}`)));
    one.sampler.flush();
  }
  const kept = paths(made.recent({ filter: '' }));
  t.ok(kept.length >= 2_000 && kept.length <= 2_500, `${kept.length}`);
  t.equal(kept.at(-1), '/299/24');
  leave();
});

t.test('the kept decisions have at most 8 MiB, whatever clients send', async (t) => {
  const { hub: made, one } = hub();
  const leave = made.open({ filter: '' }, { take: () => {} });
  for (let batch = 0; batch < 100; batch++) {
    const long = (index: number) => decision('forwarded', `/${batch}/${index}/${'x'.repeat(16_000)}`);
    one.decide(...Array.from({ length: 25 }, (_, index) => long(index)));
    one.sampler.flush();
  }
  const length = made.recent({ filter: '' }).reduce((sum, json) => sum + json.length, 0);
  t.ok(length <= 8 * 1024 * 1024, `${length}`);
  t.match(paths(made.recent({ filter: '' })).at(-1), /^\/99\/24\/x+…$/, 'a long path is cut');
  leave();
});

t.test('a replay comes in messages of at most 50 decisions, each with the id of its last one', async (t) => {
  const { hub: made, one } = hub();
  const stay = made.open({ filter: '' }, { take: () => {} });
  for (let batch = 0; batch < 10; batch++) {
    one.decide(...Array.from({ length: 25 }, (_, index) => decision('forwarded', `/${batch * 25 + index}`)));
    one.sampler.flush();
  }
  const messages: LiveMessage[] = [];
  const leave = made.open({ filter: '' }, { take: (message) => void messages.push(message) });
  t.strictSame(
    messages.map(({ records }) => records.length),
    [50, 50, 50, 50, 50, 0],
  );
  const [, second] = messages;
  t.strictSame(
    paths(made.recent({ filter: '', since: second?.id ?? '' })).at(0),
    '/100',
    'a viewer continues after any of them',
  );
  leave();
  stay();
});

t.test('a gateway that follows this one gets only the decisions of this one', async (t) => {
  const { hub: made, one } = hub();
  const got: string[] = [];
  const people = made.open({ filter: '' }, { take: () => {} });
  const other = made.open({ filter: '', own: true }, { take: ({ records }) => void got.push(...records) });
  t.match(made.audiences, [{ own: undefined }, { own: true }]);
  made.receive(
    {
      records: [{ audiences: [1], json: '{"path":"/of-another"}', key: 'k 1' }],
      left: [],
      totals: { passed: 0, refused: 0, failed: 0 },
    },
    'other',
    1,
  );
  one.decide(decision('forwarded', '/own'));
  one.sampler.flush();
  t.strictSame(paths(got), ['/own']);
  t.strictSame(paths(made.recent({ filter: '', own: true })), ['/own']);
  other();
  people();
});
