import t from 'tap';
import { outage } from '../../../src/base/verdict.ts';
import type { FeedEventKind } from '../../../src/gateway/revocation/events.ts';
import { factsCache } from '../../../src/gateway/verify/facts-cache.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { alice } from '../decide/decider.ts';

const byUser = { kid: 'AAAAAAAAAAAAAAAAAAAAAA' };
const published = { kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' };

/** Kind of an event → what it ended. */
const ends: Readonly<Record<FeedEventKind, RegExp>> = {
  kid: /^its user's key ended$/,
  jti: /this token/,
  token_hash: /this token/,
  gid: /grant/,
  sid: /^its session/,
  sub_nbf: /user's tokens/,
  sessionless_nbf: /session of its user ended, and this token names no session/,
  client_nbf: /client's tokens/,
};

const rows = [
  ...Object.entries(ends).map(([kind, ended]) => ({ name: kind, kind, ended, marks: byUser })),
  { name: 'kid of a published key', kind: 'kid', ended: /^its signing key was removed$/, marks: published },
];

for (const { name, kind, ended, marks } of rows)
  t.test(`a refusal says what the event ${name} ended, for a new and for a cached token`, async (t) => {
    const revocations = {
      generation: 1,
      denies: (): FeedEventKind | undefined => undefined,
      doubt: () => undefined,
    };
    const cache = factsCache({
      size: 2,
      skew: 0,
      clock: settableClock(),
      holds: () => true,
      revocations,
      maxStaleness: 0,
      doubtful: outage('main', 1, 'silent'),
    });
    const identity = { ...alice, marks: marks as never };
    const facts = { identity, jwt: true, key: undefined, leeway: 0, asked: false, freshFor: Infinity, staleFor: 0 };
    t.equal(cache.put('a', { kind: 'facts', ...facts } as never).kind, 'verified');
    t.match(cache.get('a'), { jwt: true, answer: { kind: 'verified' } });
    revocations.denies = () => kind as FeedEventKind;
    t.match(cache.get('a'), { answer: { kind: 'verified' } }, 'the list has no new entry');
    revocations.generation++;
    t.match(cache.get('a'), { jwt: true, answer: { kind: 'refused', code: 'token_revoked', detail: ended } });
    t.match(cache.put('b', { kind: 'facts', ...facts } as never), { code: 'token_revoked', detail: ended });
    t.ok(cache.knows('b'), 'a later request needs no verification to learn it');
    t.notOk(cache.knows('c'));
  });
