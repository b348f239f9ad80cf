import t from 'tap';
import { followPolls, type LinkParts } from '../../../src/gateway/revocation/feed-link.ts';

const address = {
  url: 'https://auth.example.com/events',
  who: { kind: 'authentication', headers: {}, form: {} },
} as const;

t.test('a server that ignores the wait of a long poll is asked once a second', async (t) => {
  let polls = 0;
  const over = AbortSignal.timeout(1_500);
  const fetch = async () => {
    polls++;
    return over.aborted ? { kind: 'failed', detail: 'over' } : { kind: 'json', value: { events: [], next: 5 } };
  };
  const parts = { fetch, sink() {}, cursor: { last: 5 }, pollWait: 25 } as unknown as LinkParts;
  // The timers of the link keep no process alive.
  const alive = setTimeout(() => {}, 60_000);
  await followPolls(address, parts, over);
  clearTimeout(alive);
  t.ok(polls <= 4, `${polls} polls: one without a wait, two with a wait, and one that reports the end`);
});
