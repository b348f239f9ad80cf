import t from 'tap';
import type { TokenMarks } from '../../../src/gateway/message/identity.ts';
import { DenyList } from '../../../src/gateway/revocation/deny-list.ts';
import { cutOffKinds, eventKinds, type RevocationEvent } from '../../../src/gateway/revocation/events.ts';
import fc, { tries } from '../../support/properties.ts';

/** Thousands of histories: 17 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const LEEWAY = 30;

/** All events that were received, independent of how a list stores them. */
interface Model {
  now: number;
  readonly told: RevocationEvent[];
  /** Events that found no place. */
  readonly untold: RevocationEvent[];
}

const few = fc.constantFrom('a', 'b', 'c');
const maybe = fc.option(few, { nil: undefined });

const marks: fc.Arbitrary<TokenMarks> = fc.record({
  kid: maybe,
  jti: maybe,
  gid: maybe,
  sid: maybe,
  subject: maybe,
  client: maybe,
  hash: few,
  issuedAt: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
});

const cutOff = ({ key, nbf = 0 }: RevocationEvent, name: string | undefined, issuedAt: number | undefined) =>
  key === name && (issuedAt === undefined || issuedAt < nbf);

const names: Record<RevocationEvent['kind'], (token: TokenMarks, event: RevocationEvent) => boolean> = {
  kid: ({ kid }, { key }) => kid === key,
  jti: ({ jti }, { key }) => jti === key,
  gid: ({ gid }, { key }) => gid === key,
  sid: ({ sid }, { key }) => sid === key,
  token_hash: ({ hash }, { key }) => hash === key,
  sub_nbf: ({ subject, issuedAt }, event) => cutOff(event, subject, issuedAt),
  sessionless_nbf: ({ subject, sid, issuedAt }, event) => sid === undefined && cutOff(event, subject, issuedAt),
  client_nbf: ({ client, issuedAt }, event) => cutOff(event, client, issuedAt),
};

type Command = fc.Command<Model, DenyList>;

class Tell implements Command {
  readonly told: {
    readonly kind: RevocationEvent['kind'];
    readonly key: string;
    readonly lasts: number;
    readonly nbf: number;
  };
  constructor(told: Tell['told']) {
    this.told = told;
  }
  check = () => true;
  run(model: Model, list: DenyList): void {
    const { kind, key, lasts, nbf } = this.told;
    const isCutOff = cutOffKinds.some((each) => each === kind);
    const event: RevocationEvent = { kind, key, until: model.now + lasts, ...(isCutOff && { nbf }) };
    tell(model, list, event);
  }
  toString = () => `tell ${JSON.stringify(this.told)}`;
}

/** Again, or for the first time if there was no place before. */
class TellAgain implements Command {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = ({ told }: Readonly<Model>) => told.length > 0;
  run(model: Model, list: DenyList): void {
    tell(model, list, model.told[this.pick % model.told.length] as RevocationEvent);
  }
  toString = () => `tell ${this.pick} again`;
}

function tell(model: Model, list: DenyList, event: RevocationEvent): void {
  const before = list.generation;
  const found = list.add(event);
  (found ? model.told : model.untold).push(event);
  if (list.generation === before) throw new Error('nobody is told to look again');
  if (!found && list.lacksUntil < event.until + LEEWAY) throw new Error('it is forgotten in silence');
}

class Pass implements Command {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
  check = () => true;
  run(model: Model): void {
    model.now += this.seconds;
  }
  toString = () => `${this.seconds} s pass`;
}

class Sweep implements Command {
  readonly times: number;
  constructor(times: number) {
    this.times = times;
  }
  check = () => true;
  run({ now }: Model, list: DenyList): void {
    for (let time = 0; time < this.times; time++) list.sweep(now);
  }
  toString = () => `sweep ${this.times} times`;
}

class Look implements Command {
  readonly token: TokenMarks;
  constructor(token: TokenMarks) {
    this.token = token;
  }
  check = () => true;
  run({ now, told }: Model, list: DenyList): void {
    const naming = told.filter((event) => names[event.kind](this.token, event));
    const denied = list.denies(this.token) !== undefined;
    if (!denied && naming.some(({ until }) => now < until + LEEWAY)) throw new Error('what was revoked is accepted');
    if (denied && naming.length === 0) throw new Error('what nobody revoked is refused');
  }
  toString = () => `look for ${JSON.stringify(this.token)}`;
}

/** As a gateway sweeps: once a second, and every entry is checked within ten. */
class Rest implements Command {
  check = () => true;
  run({ now, told }: Model, list: DenyList): void {
    for (let time = 0; time < 25; time++) list.sweep(now);
    const live = new Set(told.filter(({ until }) => now < until + LEEWAY).map(({ kind, key }) => `${kind} ${key}`));
    if (list.size !== live.size)
      throw new Error(`${list.size} entries are kept, and ${live.size} could still be accepted`);
    const known = new Set([...list.events()].map(({ kind, key }) => `${kind} ${key}`));
    if (known.symmetricDifference(live).size > 0) throw new Error('who joins late is told something else');
  }
  toString = () => 'sweep until all was looked at';
}

const event = fc.record({
  kind: fc.constantFrom(...eventKinds),
  key: few,
  lasts: fc.constantFrom(-40, -30, 0, 1, 10, 300),
  nbf: fc.integer({ min: 0, max: 100 }),
});

const commands = fc.commands<Model, DenyList>(
  [
    event.map((told) => new Tell(told)),
    fc.nat(1000).map((pick) => new TellAgain(pick)),
    fc.constantFrom(0, 1, 9, 29, 30, 31, 271, 400).map((seconds) => new Pass(seconds)),
    fc.integer({ min: 1, max: 12 }).map((times) => new Sweep(times)),
    marks.map((token) => new Look(token)),
    marks.map((token) => new Look(token)),
    fc.constant(new Rest()),
  ],
  { size: '+1' },
);

t.test(
  'events in any order, twice and late: a revoked token is denied until its expiry, nothing else is, and then it is forgotten',
  async (t) => {
    const { numRuns } = tries(500, 12_000);
    const property = fc.property(commands, fc.constantFrom(3, 100), (commands, most) => {
      const begin = () => ({
        model: { now: 1_000_000, told: [], untold: [] },
        real: new DenyList({ most, leeway: LEEWAY }),
      });
      fc.modelRun(begin, [...commands, new Rest()]);
    });
    fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);
