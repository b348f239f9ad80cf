import { mayHaveFeed, reportsEnds, trustsSignatures, UNHEARD } from '../../config/rules/follows-feed.ts';
import type { FeedMessage } from '../../gateway/revocation/events.ts';
import { openFeed } from '../../gateway/revocation/open-feed.ts';
import { serverRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { RemoteView } from './remote-server.ts';

/** The feed answers, and confirms that it sent all revocations. */
export function serverFeed(view: RemoteView): readonly DoctorProbe[] {
  if (reportsEnds(view.config)) return [];
  const about = `${view.name} revocation feed`;
  if (mayHaveFeed(view.config)) return [{ about, look: (signal) => lookAt(view, signal) }];
  return trustsSignatures(view.config) ? [{ about, look: () => good(`the gateway follows no feed: ${UNHEARD}`) }] : [];
}

async function lookAt(view: RemoteView, signal: AbortSignal): Promise<readonly Seen[]> {
  const { config, about } = view;
  const named = config.events ?? (await about.optional('revocation_events_endpoint'));
  if (named === undefined) return [good(`the server has no feed, and the file requires none${consequence(view)}`)];
  // Another check reports missing metadata.
  return typeof named === 'string' ? [await follow(view, signal)] : [];
}

function consequence({ config }: RemoteView): string {
  return trustsSignatures(config) ? `: ${UNHEARD}` : '';
}

const ALLOW = 'set `events: true` for the client there, or `events: none` here';

const notAllowed = doubtful('the server has a feed, but this client is not allowed to follow it', ALLOW);
const unchecked = doubtful(
  'not checked: the server rejects the credentials of the file',
  'correct `client_id` and `client_secret`, and run this command again',
);

/** As the gateway says it in its log. */
const REJECTED = /rejects this gateway's client_id or its secret$/;
const REFUSED = /this gateway's client may not read the feed/;

/** Only a server that refuses this client is a reason to follow no feed. */
const lostRows = [
  [REJECTED, 'correct `client_id` and `client_secret`'],
  [/\bstatus 403\b|may not read the feed/, ALLOW],
  [/no answer within/, 'read the log of the authorization server: it does not answer in time'],
] as const;

/** Another check reports rejected credentials. The file says nothing about a feed that only the metadata name. */
function judgeLost(detail: string, { config }: RemoteView): Seen {
  if (config.events === undefined && REJECTED.test(detail)) return unchecked;
  if (config.events === undefined && REFUSED.test(detail)) return notAllowed;
  return bad(detail, serverRemedy(detail, lostRows, 'correct `events`: it must be the URL of the feed'));
}

const judges: Partial<Record<FeedMessage['kind'], (detail: string, view: RemoteView) => Seen>> = {
  in_step: () => good('answers, and is up to date'),
  lost: judgeLost,
};

/** Follows the feed as the gateway does, until its state is known. */
function follow(view: RemoteView, signal: AbortSignal): Promise<Seen> {
  const { name, config, about, trust, clock, opened } = view;
  let detail = 'it does not answer';
  const told = (fields: object) => {
    if ('detail' in fields) detail = String(fields.detail);
  };
  return new Promise((resolve) => {
    const open = openFeed(name, config, { about, trust, clock, log: { info: told, warn: told, error: told } });
    const feed = open?.(({ kind }) => {
      const judge = judges[kind];
      // The follower reports the lost feed before the log has the reason.
      if (judge !== undefined) setImmediate(() => resolve(judge(detail, view)));
    });
    opened.defer(() => feed?.close());
    signal.addEventListener('abort', () => feed?.close());
    feed?.start();
  });
}
