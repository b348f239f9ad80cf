import t from 'tap';
import type { ReadEngine } from '../../../src/storage/engine/engine.ts';
import type { Verb } from '../../../src/storage/engine/verb.ts';
import { tokenFacts } from '../../../src/storage/lookup/read.ts';
import { findAccessToken, isJwtDenied, saveAccessToken } from '../../../src/storage/records/access-tokens.ts';
import { findClient } from '../../../src/storage/records/clients.ts';
import { accessToken } from '../../contracts/token-facts.ts';

/** On PostgreSQL, each statement whose rows are read is a round trip. */
function statementsOf(verb: Verb<unknown>): readonly string[] {
  const asked: string[] = [];
  for (let step = verb.next(); step.done !== true; step = verb.next([])) asked.push(step.value.sql);
  return asked;
}

const hash = new Uint8Array(32);
const verbs: Readonly<Record<string, () => Verb<unknown>>> = {
  'finding a token': () => findAccessToken(hash, 0),
  'looking for a revoked JWT': () => isJwtDenied('j', 0, { grantId: 'g' }),
  'saving a token': () => saveAccessToken(accessToken('a')),
  'finding a client with its secrets': () => findClient('shop', 0),
};

for (const [what, verb] of Object.entries(verbs))
  t.test(`${what} is one statement`, async (t) => {
    t.equal(statementsOf(verb()).length, 1);
  });

t.test('a gateway that reads a store gets its version with the fact, in one statement', async (t) => {
  const counts: number[] = [];
  const engine: ReadEngine = {
    async read(verb) {
      const work = verb();
      let statements = 0;
      for (let step = work.next(); ; step = work.next([])) {
        if (step.done === true) {
          counts.push(statements);
          return step.value;
        }
        statements++;
        t.match(step.value.sql, /FROM migration/);
      }
    },
    close: async () => {},
  };
  const facts = tokenFacts(engine);
  await facts.findAccessToken(hash, 0);
  await facts.isJwtDenied({ jti: 'j', now: 0 });
  t.strictSame(counts, [1, 1]);
});
