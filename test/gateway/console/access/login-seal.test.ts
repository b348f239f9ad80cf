import t from 'tap';
import { LOGIN_FOR, LoginSeal } from '../../../../src/gateway/console/access/login-seal.ts';
import { settableClock } from '../../../support/settable-clock.ts';

t.test('a sealed login opens for ten minutes, at the process that sealed it', async (t) => {
  const clock = settableClock();
  const here = new LoginSeal(clock);
  const begun = here.begin('/console/routes');
  const sealed = here.seal(begun);
  t.strictSame(here.open(sealed), begun);
  t.equal(new LoginSeal(clock).open(sealed), undefined, 'another process has another key');
  clock.advance(LOGIN_FOR * 1000 - 1);
  t.ok(here.open(sealed));
  clock.advance(2);
  t.equal(here.open(sealed), undefined);
});

t.test('a changed or shortened cookie opens nothing, and shows nothing', async (t) => {
  const here = new LoginSeal(settableClock());
  const begun = here.begin('/console/');
  const sealed = here.seal(begun);
  for (let index = 0; index < sealed.length; index += 7) {
    const other = sealed[index] === 'A' ? 'B' : 'A';
    t.equal(here.open(`${sealed.slice(0, index)}${other}${sealed.slice(index + 1)}`), undefined, String(index));
  }
  for (const text of ['', 'x', sealed.slice(0, 30), sealed.slice(0, -4)]) t.equal(here.open(text), undefined, text);
  t.notOk(Buffer.from(sealed, 'base64url').includes(begun.proof.state));
});
