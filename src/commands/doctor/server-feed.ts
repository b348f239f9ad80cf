import { mayHaveFeed, trustsSignatures, UNHEARD } from '../../config/rules/follows-feed.ts';
import type { FeedMessage } from '../../gateway/revocation/events.ts';
import { openFeed } from '../../gateway/revocation/open-feed.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { RemoteView } from './remote-server.ts';

/** The feed that the gateway would follow answers, and confirms that it sent all revocations. */
export function serverFeed(view: RemoteView): readonly DoctorProbe[] {
  const about = `${view.name} revocation feed`;
  if (mayHaveFeed(view.config)) return [{ about, look: (signal) => lookAt(view, signal) }];
  return trustsSignatures(view.config) ? [{ about, look: () => good(`the gateway follows none: ${UNHEARD}`) }] : [];
}

async function lookAt(view: RemoteView, signal: AbortSignal): Promise<readonly Seen[]> {
  const { config, about } = view;
  const named = config.events ?? (await about.optional('revocation_events_endpoint'));
  if (named === undefined) return [good(`the server has none, and none is asked for${consequence(view)}`)];
  // that there are no metadata is a finding of its own
  return typeof named === 'string' ? [await follow(view, signal)] : [];
}

function consequence({ config }: RemoteView): string {
  return trustsSignatures(config) ? `: ${UNHEARD}` : '';
}

const ALLOW = 'give the client `events: true` there, or write `events: none` here';

const judges: Partial<Record<FeedMessage['kind'], (detail: string) => Seen>> = {
  in_step: () => good('answers, and is in step'),
  absent: () => doubtful('the server has a feed, and this client may not follow it', ALLOW),
  lost: (detail) => bad(detail, faultRemedy(detail, `correct \`events\`; ${ALLOW}`)),
};

/** As the gateway does, until it knows its state. */
function follow({ name, config, about, trust, clock, opened }: RemoteView, signal: AbortSignal): Promise<Seen> {
  let detail = 'it does not answer';
  const told = (fields: object) => {
    if ('detail' in fields) detail = String(fields.detail);
  };
  return new Promise((resolve) => {
    const open = openFeed(name, config, { about, trust, clock, log: { info: told, warn: told, error: told } });
    const feed = open?.(({ kind }) => {
      const judge = judges[kind];
      // the follower learns of the lost feed before the log has the reason
      if (judge !== undefined) setImmediate(() => resolve(judge(detail)));
    });
    opened.defer(() => feed?.close());
    signal.addEventListener('abort', () => feed?.close());
    feed?.start();
  });
}
