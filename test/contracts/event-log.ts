import type { Test } from 'tap';
import type { EventLog, LogEntry } from '../../src/gateway/receiver/event-log.ts';
import type { FeedMessage } from '../../src/gateway/revocation/events.ts';
import { until } from '../support/until.ts';

/** One place of a log, and the processes that use it. */
export interface LogPlace {
  /** A log at this place, started, and closed after the test. */
  open(): Promise<EventLog>;
}

export interface LogImplementation {
  readonly place: (t: Test) => Promise<LogPlace>;
  /** Whether a log that opens later at the same place has the entries. */
  readonly isKept: boolean;
  readonly skip?: false | string;
}

const hour = 3_600;
const soon = () => Math.floor(Date.now() / 1000) + hour;

export function entry(id: string, changes: Partial<LogEntry> = {}): LogEntry {
  const until = soon();
  return { issuer: 'https://a.example', id, until, events: [{ kind: 'sid', key: `s-${id}`, until }], ...changes };
}

/** The keys of the events of an issuer, and the last state of its feed. */
export function followed(t: Test, log: EventLog, issuer = 'https://a.example') {
  const messages: FeedMessage[] = [];
  const source = log.feed(issuer)((message) => messages.push(message));
  source.start();
  t.teardown(() => source.close());
  return {
    messages,
    keys: () => messages.flatMap((each) => (each.kind === 'event' ? [each.event.key] : [])),
    state: () => messages.findLast(({ kind }) => kind === 'in_step' || kind === 'lost')?.kind,
  };
}

type Rule = (t: Test, place: LogPlace) => Promise<void>;

const rules: readonly (readonly [title: string, rule: Rule])[] = [
  [
    'an entry reaches the followers of its issuer, and no others',
    async (t, place) => {
      const log = await place.open();
      const [own, other] = [followed(t, log), followed(t, log, 'https://b.example')];
      t.strictSame(await log.append(entry('1')), { kind: 'added' });
      t.ok(await until(() => own.keys().length === 1));
      t.strictSame(own.keys(), ['s-1']);
      t.strictSame(other.keys(), []);
      t.equal(own.state(), 'in_step');
    },
  ],
  [
    'an id is added once for its issuer, also at the same time',
    async (t, place) => {
      const log = await place.open();
      const kinds = (await Promise.all([entry('1'), entry('1'), entry('1')].map((each) => log.append(each)))).map(
        ({ kind }) => kind,
      );
      t.strictSame(kinds.sort(), ['added', 'again', 'again']);
      t.strictSame(await log.append(entry('1')), { kind: 'again' });
      t.strictSame(await log.append(entry('1', { issuer: 'https://b.example' })), { kind: 'added' });
    },
  ],
  [
    'a later follower gets all live entries before it counts as up to date',
    async (t, place) => {
      const log = await place.open();
      for (const id of ['1', '2', '3']) await log.append(entry(id));
      t.ok(await until(() => log.size() === 3));
      const late = followed(t, log);
      t.ok(await until(() => late.state() === 'in_step'));
      t.strictSame(late.keys().sort(), ['s-1', 's-2', 's-3']);
      t.equal(late.messages.at(-1)?.kind, 'in_step');
    },
  ],
  [
    'an entry may have several events, and keeps all of their parts',
    async (t, place) => {
      const log = await place.open();
      const until_ = soon();
      const events = [
        { kind: 'sid' as const, key: 's "1"\n\u2028\ud800', until: until_ },
        { kind: 'sessionless_nbf' as const, key: 'ålice', until: until_, nbf: until_ - hour },
      ];
      const seen = followed(t, log);
      await log.append(entry('1', { events }));
      t.ok(await until(() => seen.keys().length === 2));
      t.strictSame(
        seen.messages.flatMap((each) => (each.kind === 'event' ? [each.event] : [])),
        events,
      );
    },
  ],
];

const kept: typeof rules = [
  [
    'another process gets each entry, and what was there before',
    async (t, place) => {
      const [first, strange] = [await place.open(), 's\n\u2028\r\ud800'];
      await first.append(entry('1'));
      await first.append(entry('2', { events: [{ kind: 'sid', key: strange, until: soon() }] }));
      const second = await place.open();
      const seen = followed(t, second);
      t.ok(await until(() => seen.keys().length === 2));
      t.strictSame(seen.keys(), ['s-1', strange]);
      t.strictSame(await second.append(entry('1')), { kind: 'again' });
    },
  ],
  [
    'what expired more than a day ago is not read again',
    async (t, place) => {
      const first = await place.open();
      await first.append(entry('old', { until: Math.floor(Date.now() / 1000) - 24 * hour - 1 }));
      await first.append(entry('new'));
      const second = await place.open();
      const seen = followed(t, second);
      t.ok(await until(() => seen.keys().includes('s-new')));
      t.strictSame(seen.keys(), ['s-new']);
    },
  ],
];

/** What every implementation of EventLog guarantees. */
export function eventLogContract(t: Test, name: string, { place, isKept, skip = false }: LogImplementation): void {
  for (const [title, rule] of [...rules, ...(isKept ? kept : [])])
    t.test(`${name}: ${title}`, { skip }, async (t) => rule(t, await place(t)));
}
