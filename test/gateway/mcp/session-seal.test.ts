import { randomBytes } from 'node:crypto';
import t from 'tap';
import { SessionSeal } from '../../../src/gateway/mcp/session-seal.ts';
import fc, { tries } from '../../support/properties.ts';

const key = () => randomBytes(32).toString('base64');
const [first, second] = [key(), key()];
const unkeyed = () => new SessionSeal(undefined, 'tools');
const seal = (keys: readonly string[] = [first], route = 'tools') => new SessionSeal(keys, route);

t.test('an id is opened for the caller that it was sealed for', async (t) => {
  const holds = fc.property(fc.string({ minLength: 1 }), fc.string(), (id, owner) => {
    const sealed = seal().seal('session', owner, id);
    return seal().open('session', owner, sealed) === id && sealed.startsWith(`${id}.`);
  });
  fc.assert(holds, tries(200, 20_000));
  t.pass();
});

t.test('an id is worth nothing for another caller, kind, route or key', async (t) => {
  const sealed = seal().seal('session', 'alice', 'a1');
  t.equal(seal().open('session', 'bob', sealed), undefined);
  t.equal(seal().open('event', 'alice', sealed), undefined);
  t.equal(seal([first], 'other').open('session', 'alice', sealed), undefined);
  t.equal(seal([second]).open('session', 'alice', sealed), undefined);
  t.equal(unkeyed().open('session', 'alice', sealed), undefined);
});

t.test('parts cannot move between the owner and the id', async (t) => {
  const sealed = seal().seal('session', 'a","b', 'c');
  t.equal(seal().open('session', 'a', sealed), undefined);
  const [, code = ''] = seal().seal('session', 'ab', 'c').split('.');
  t.equal(seal().open('session', 'a', `bc.${code}`), undefined);
});

t.test('a changed, truncated or extended id is worth nothing', async (t) => {
  const sealed = seal().seal('session', 'alice', 'a.1');
  const code = sealed.slice(4);
  for (const text of [
    '',
    '.',
    'a.1',
    code,
    `.${code}`,
    `a.2.${code}`,
    `A.1.${code}`,
    sealed.slice(0, -1),
    `${sealed}A`,
    ` ${sealed}`,
    `${sealed} `,
    `${sealed}\n`,
    `a.1.${'A'.repeat(22)}`,
    `a.1.${code.slice(0, 21)}=`,
    `a.1.${code}.${code}`,
  ])
    t.equal(seal().open('session', 'alice', text), undefined, JSON.stringify(text));
  t.equal(seal().open('session', 'alice', sealed), 'a.1');
});

t.test('after a rotation, the new key seals, and ids of the old key still open', async (t) => {
  const old = seal([first]).seal('session', 'alice', 'a');
  const rotated = seal([second, first]);
  t.equal(rotated.open('session', 'alice', old), 'a');
  const fresh = rotated.seal('session', 'alice', 'a');
  t.not(fresh, old);
  t.equal(seal([first]).open('session', 'alice', fresh), undefined);
  t.equal(seal([second]).open('session', 'alice', old), undefined);
});

t.test('without keys, one key is made for the process', async (t) => {
  const sealed = seal([]).seal('event', 'alice', 'a');
  t.equal(unkeyed().open('event', 'alice', sealed), 'a');
});
