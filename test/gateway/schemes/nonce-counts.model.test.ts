import { ok, strictEqual } from 'node:assert/strict';
import t from 'tap';
import { NonceCounts } from '../../../src/gateway/schemes/nonce-counts.ts';
import { type Nonces, openNonces, openUsedNonces } from '../../../src/gateway/schemes/nonces.ts';
import { makeNonce, readNonce } from '../../../src/http-auth/nonce.ts';
import { mayTake, nonceUse, note, type Taken, type Use } from '../../contracts/nonce-uses.ts';
import fc, { tries } from '../../support/properties.ts';
import { settableClock } from '../../support/settable-clock.ts';

/** Milliseconds. */
const LIFETIME = 60_000;

interface Issued extends Taken {
  readonly id: string;
  readonly issuedAt: number;
}

interface Model {
  now: number;
  readonly issued: Issued[];
  readonly capacity: number;
}

type Command = fc.Command<Model, NonceCounts>;

function command(text: string, run: (model: Model, counts: NonceCounts) => void): Command {
  return { check: () => true, run, toString: () => text };
}

const used = ({ issued }: Model) => issued.filter(({ counts, last }) => counts.size > 0 || last);

function use(model: Model, counts: NonceCounts, { pick, count, mode }: Use): void {
  const nonce = model.issued[pick % model.issued.length] as Issued;
  // The caller has checked its age.
  if (model.now - nonce.issuedAt > LIFETIME) return;
  const wasFull = used(model).length >= model.capacity;
  const fresh = mayTake(nonce, { count, mode });
  const told = counts.use(nonce, { count, mode, now: model.now, expiresAt: nonce.issuedAt + LIFETIME });
  if (told === 'forgotten') ok(wasFull, 'there was room for all');
  else strictEqual(told, fresh ? 'fresh' : 'repeated');
  if (told !== 'fresh') return;
  note(nonce, { count });
  ok(counts.size <= model.capacity, 'memory is bounded');
}

const commands = fc.commands<Model, NonceCounts>(
  [
    fc.constant(
      command('issue', (model) => {
        model.issued.push({ id: `n${model.issued.length}`, issuedAt: model.now, counts: new Set(), last: false });
      }),
    ),
    ...[1, 2, 3].map(() =>
      nonceUse.map((of) =>
        command(`use ${JSON.stringify(of)}`, (model, counts) => {
          if (model.issued.length > 0) use(model, counts, of);
        }),
      ),
    ),
    fc.constantFrom(1, 1000, 30_000, 60_000, 60_001).map((by) =>
      command(`${by} ms pass`, (model) => {
        model.now += by;
      }),
    ),
  ],
  { size: '+1' },
);

const sizes = tries(300, 15_000);

t.test(
  'no count of a nonce is accepted twice, whatever is forgotten; and while there is room nothing is forgotten',
  async (t) => {
    const { numRuns } = sizes;
    const property = fc.property(commands, fc.constantFrom(1, 2, 5, 1000), (commands, capacity) => {
      fc.modelRun(
        () => ({ model: { now: 1_000_000, issued: [], capacity }, real: new NonceCounts(999_999, capacity) }),
        commands,
      );
    });
    fc.assert(property, { numRuns });
    t.pass(`${numRuns} histories`);
  },
);

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const purpose = fc.string({ maxLength: 12 });

t.test('a nonce is readable with its key, for its purpose, and in no other spelling', async (t) => {
  const { numRuns } = sizes;
  const made = fc.record({ key, purpose, now: fc.nat(2 ** 45), random: fc.uint8Array({ minLength: 9, maxLength: 9 }) });
  const property = fc.property(
    made,
    fc.array(key, { maxLength: 2 }),
    purpose,
    fc.nat(42),
    fc.nat(63),
    (input, others, elsewhere, at, digit) => {
      const nonce = makeNonce(input);
      strictEqual(nonce.length, 43);
      strictEqual(readNonce([...others, input.key], nonce, input.purpose)?.issuedAt, input.now);
      const isSame = others.some((other) => Buffer.from(other).equals(input.key));
      if (!isSame) strictEqual(readNonce(others, nonce, input.purpose), undefined);
      if (elsewhere !== input.purpose) strictEqual(readNonce([input.key], nonce, elsewhere), undefined);
      const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[digit] ?? '';
      const altered = nonce.slice(0, at) + other + nonce.slice(at + 1);
      if (altered !== nonce) strictEqual(readNonce([input.key], altered, input.purpose), undefined);
    },
  );
  fc.assert(property, { numRuns });
  t.pass(`${numRuns} nonces`);
});

t.test('no text makes the reading of a nonce throw', async (t) => {
  const { numRuns } = sizes;
  const nonces: Nonces = openNonces(undefined, openUsedNonces(settableClock()));
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9_-]{43}$/));
  fc.assert(
    fc.property(text, (each) => nonces.read(each, 'r') === undefined),
    { numRuns },
  );
  t.pass(`${numRuns} texts`);
});
