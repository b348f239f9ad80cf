import type { Test } from 'tap';
import { basic, requests, web } from '../../authorization/running-service.ts';
import { inTurn } from '../../support/digest-caller.ts';
import { type Loaded, redeem, rotate } from './service-load.ts';

/** Answers that were checked before are checked again at the end, all of them or so many. */
const LAST_LOOK = 5_000;

/** Checks that the service keeps what it answered: new answers after each fault, and all answers at the end. */
export class Promises {
  /** Families that were checked after a fault. */
  #families = 0;
  readonly #kept = { active: new Set<string>(), ended: new Set<string>() };

  /** No other requests run in the meantime. */
  async look(t: Test, loaded: Loaded): Promise<void> {
    const { ledger } = loaded;
    const rotated = await inTurn([...ledger.families.keys()], (index) => rotate(loaded, index));
    this.#families += rotated.length;
    const none = rotated.filter(({ status }) => status !== 200);
    if (none.length > 0) t.fail('of every family the old or the new token works', { none });
    await this.#states(t, loaded, newIn(ledger.active, this.#kept.active), newIn(ledger.ended, this.#kept.ended));
    for (const token of ledger.active) this.#kept.active.add(token);
    for (const token of ledger.ended) this.#kept.ended.add(token);
  }

  async lastLook(t: Test, loaded: Loaded): Promise<void> {
    const { ledger } = loaded;
    await this.look(t, loaded);
    await this.#states(t, loaded, some([...ledger.active]), some([...ledger.ended]));
    for (const refresh_token of some([...ledger.endedFamilies])) {
      const form = { grant_type: 'refresh_token', refresh_token };
      const { status } = await requests(loaded.url).post('/oauth2/token', form, basic(web));
      if (status !== 400) t.fail('a family that was revoked stays so', { status });
    }
    await inTurn([...ledger.codes.keys()], (code) => redeem(loaded, code));
    t.strictSame(
      [...ledger.codes.values()].filter((count) => count > 1),
      [],
      'no code counts twice',
    );
    t.strictSame([...new Set(ledger.blamed)], [], 'nobody is blamed');
    t.strictSame([...new Set(ledger.wrong)], [], 'nobody gets what is not theirs');
    const { active, ended, endedFamilies, codes } = ledger;
    const families = { size: this.#families };
    const sizes = { active, ended, endedFamilies, codes, families };
    for (const [name, { size }] of Object.entries(sizes)) t.ok(size > 0, `there was load: ${size} ${name}`);
    t.comment(
      Object.entries(sizes)
        .map(([name, { size }]) => `${size} ${name}`)
        .join(', '),
    );
    t.comment([...ledger.answers].map(([what, count]) => `${what}: ${count}`).join(', '));
  }

  async #states(t: Test, { url }: Loaded, active: readonly string[], ended: readonly string[]): Promise<void> {
    const { introspect } = requests(url);
    const state = async (token: string) => (await introspect(token)).active;
    const lost = (await inTurn(active, state)).filter((is) => is !== true).length;
    const undead = (await inTurn(ended, state)).filter((is) => is !== false).length;
    t.strictSame(
      { lost, undead },
      { lost: 0, undead: 0 },
      `${active.length} tokens are known, ${ended.length} are revoked`,
    );
  }
}

function newIn(all: ReadonlySet<string>, before: ReadonlySet<string>): string[] {
  return [...all].filter((each) => !before.has(each));
}

function some<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(all.length / LAST_LOOK));
  return all.filter((_, index) => index % step === 0);
}
