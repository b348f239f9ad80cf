import type { Records } from '../../../src/storage/records/records.ts';
import { isFullSize, isLong } from '../../support/long.ts';
import fc from '../../support/properties.ts';
import { claim, isAlive, minted, now, type Rule, rotation, saveCode } from './samples.ts';

/** A code and the family of tokens from it, without any database. */
interface Family {
  readonly failures: number;
  readonly used: boolean;
  readonly revoked: boolean;
  /** The refresh tokens in order of creation. Only the last one is unused. */
  readonly chain: readonly string[];
}

type Families = ReadonlyMap<string, Family>;

/** What a verb returns, and the state after it. */
type Told = readonly [outcome: string, after: Family];

interface Step {
  readonly told: string;
  readonly name: string;
  model(of: Family, clock: number): Told;
  run(records: Records, at: number): Promise<unknown>;
}

/** A step of the generator, before it is known which tokens exist. */
type Plan = (run: number, families: Families) => Step;

const untouched: Family = { failures: 0, used: false, revoked: false, chain: [] };

/** Seconds after `now`, as in the samples. */
const ends = { code: 60, access: 60, refresh: 600, grant: 3600 } as const;

function redeem(letter: string): Plan {
  return (run) => {
    const name = `${run} ${letter}`;
    return {
      told: `redeem ${name}`,
      name,
      model(of, clock) {
        if (of.used && clock < ends.grant) return ['replayed', { ...of, revoked: true }];
        if (of.used || of.failures >= 5 || clock >= ends.code) return ['unknown', of];
        return ['redeemed', { ...of, used: true, chain: [`refresh ${name}`] }];
      },
      run: (records, at) => records.redeemCode(claim(name, { now: at }), minted(name)),
    };
  };
}

const wrongs = [
  ['wrong_client', { clientId: 'other' }],
  ['mismatch', { challenge: 'wrong' }],
  ['mismatch', { challenge: undefined }],
  ['mismatch', { redirectUri: 'https://shop.example/back/' }],
  ['mismatch', { use: 'session' }],
] as const;

function redeemWrongly(letter: string, [outcome, wrong]: (typeof wrongs)[number]): Plan {
  return (run) => {
    const name = `${run} ${letter}`;
    return {
      told: `redeem ${name} with ${JSON.stringify(wrong)}`,
      name,
      model: (of, clock) =>
        of.used || clock >= ends.code ? ['unknown', of] : [outcome, { ...of, failures: of.failures + 1 }],
      run: (records, at) => records.redeemCode(claim(name, { ...wrong, now: at }), minted(name)),
    };
  };
}

/** `back`: 0 is the newest token of the family, 1 the one before it. */
function rotate(letter: string, back: number): Plan {
  return (run, families) => {
    const name = `${run} ${letter}`;
    const from = families.get(name)?.chain.at(-1 - back) ?? `nothing of ${name}`;
    return {
      told: `rotate ${from}`,
      name,
      model: (of, clock) =>
        of.chain.at(-1) !== from || of.revoked || clock >= ends.refresh
          ? ['lost', of]
          : ['rotated', { ...of, chain: [...of.chain, `${from}+`] }],
      run: (records, at) => records.rotateRefreshToken(rotation(from, `${from}+`, name, { now: at })),
    };
  };
}

function revoke(letter: string): Plan {
  return (run) => {
    const name = `${run} ${letter}`;
    return {
      told: `revoke ${name}`,
      name,
      model: (of, clock) =>
        of.used && !of.revoked && clock < ends.grant ? ['true', { ...of, revoked: true }] : ['false', of],
      run: (records, at) => records.revokeGrant(name, at),
    };
  };
}

function look(letter: string): Plan {
  return (run) => {
    const name = `${run} ${letter}`;
    return {
      told: `look for the access token of ${name}`,
      name,
      model: (of, clock) => [String(of.used && !of.revoked && clock < ends.access), of],
      run: (records, at) => isAlive(records, `access ${name}`, at),
    };
  };
}

const letter = fc.constantFrom('a', 'b');
const plan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 4, arbitrary: letter.map(redeem) },
  {
    weight: 3,
    arbitrary: fc.tuple(letter, fc.constantFrom(...wrongs)).map((of) => redeemWrongly(...of)),
  },
  { weight: 4, arbitrary: fc.tuple(letter, fc.constantFrom(0, 0, 0, 1)).map((of) => rotate(...of)) },
  { weight: 1, arbitrary: letter.map(revoke) },
  { weight: 2, arbitrary: letter.map(look) },
);

/** What runs at once, and the seconds that pass before it. */
interface Moment {
  readonly plans: readonly Plan[];
  readonly pause: number;
}

const moment: fc.Arbitrary<Moment> = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  pause: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 30, 500),
});

/** Every state that explains the results: some order of the steps, one after the other, gives exactly these. */
function explanations(families: Families, steps: readonly [Step, string][], clock: number): Families[] {
  if (steps.length === 0) return [families];
  return steps.flatMap(([step, outcome], index) => {
    const [expected, after] = step.model(families.get(step.name) ?? untouched, clock);
    if (expected !== outcome) return [];
    return explanations(new Map([...families, [step.name, after]]), steps.toSpliced(index, 1), clock);
  });
}

async function live(records: Records, run: number, moments: readonly Moment[]): Promise<void> {
  for (const letter of ['a', 'b']) await saveCode(records, `${run} ${letter}`);
  let possible: Families[] = [new Map()];
  let clock = 0;
  for (const { plans, pause } of moments) {
    clock += pause;
    if (pause > 0) await records.sweep(now + clock, 10_000);
    const steps = plans.map((plan) => plan(run, possible[0] ?? new Map()));
    const outcomes = await Promise.all(steps.map((step) => step.run(records, now + clock)));
    const seen = steps.map((step, index): [Step, string] => [step, String(outcomes[index])]);
    possible = distinct(possible.flatMap((families) => explanations(families, seen, clock)));
    if (possible.length === 0)
      throw new Error(
        `no order explains, ${clock} s after the start: ${seen.map(([{ told }, outcome]) => `${told} → ${outcome}`).join('; ')}`,
      );
  }
}

function distinct(all: readonly Families[]): Families[] {
  return [...new Map(all.map((families) => [JSON.stringify([...families].sort()), families])).values()];
}

const RUNS = isLong ? 1000 : isFullSize ? 200 : 30;

export const modelRules: readonly Rule[] = [
  [
    'simultaneous verbs on codes and refresh tokens act as if one came after the other',
    async (t, records) => {
      let run = 0;
      const property = fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 12 }), async (moments) => {
        run += 1;
        await live(records, run, moments);
      });
      await fc.assert(property, { numRuns: RUNS });
      t.pass(`${RUNS} histories`);
    },
  ],
];
