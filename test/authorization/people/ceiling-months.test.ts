import t from 'tap';
import { buildAccountCeiling } from '../../../src/authorization/people/account-ceiling.ts';
import { memoryCounters } from '../../../src/counters/memory.ts';
import { heldClock } from '../../gateway/issuer.ts';

const DAY = 24 * 3_600_000;

t.test('an address is known for a month after the last right password, not after the first', async (t) => {
  const clock = heldClock();
  const ceiling = buildAccountCeiling({ counters: memoryCounters(clock), clock, most: 3 });
  const fail = async () => (await ceiling.attempt('alice', '198.51.100.1')).fail();
  const waitAt = async (address: string) => (await ceiling.attempt('alice', address)).retryAfter;
  for (let login = 0; login < 6; login++) {
    await (await ceiling.attempt('alice', '203.0.113.1')).succeed();
    clock.advance(29 * DAY);
    for (let guess = 0; guess < 3; guess++) await fail();
    t.type(await waitAt('203.0.113.2'), 'number', 'the ceiling is reached');
    t.equal(await waitAt('203.0.113.1'), undefined, `${29 * (login + 1)} days after the first`);
  }
  clock.advance(61 * DAY);
  for (let guess = 0; guess < 3; guess++) await fail();
  t.type(await waitAt('203.0.113.1'), 'number', 'long after the last');
});
