import type { Authorization } from '../authorization.ts';
import type { Party } from '../party.ts';
import { shown } from '../provider/exchange.ts';

/** The user sees an error of the provider that names the fault, and the client gets nothing. */
export function errorPageOf({ judge, provider }: Party, { visit, callback }: Authorization, fault: string): void {
  const { status, headers, body } = visit.last;
  judge.must(callback === undefined, 'the client gets no answer', callback?.url);
  judge.must(visit.url.origin === provider.issuer, 'the browser stays at the provider', visit.url);
  judge.must(visit.seen.length === 0, 'the user does nothing before the error', visit.seen);
  const isPage = /^text\/html\b/.test(headers['content-type'] ?? '');
  judge.must(isPage && status >= 400 && status < 500, 'the page has a status of an error', shown(visit.last));
  judge.must(body.includes(fault), `the page names the fault: ${fault}`, body);
}
