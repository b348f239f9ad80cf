import type { FeedMessage, FeedSink } from '../gateway/revocation/events.ts';
import type { OpenFeed } from '../gateway/revocation/follow-feed.ts';
import { DEADLINE, type FailedFetch, type Fetched, failed, type JsonRequest } from '../gateway/verify/fetch-json.ts';
import type { KeySource } from '../gateway/verify/key-source.ts';
import type { Metadata, MetadataMember } from '../gateway/verify/metadata.ts';
import type { RemoteServer } from '../gateway/verify/remote-server.ts';
import type { Line } from './line.ts';
import type { PrimaryNews, PrimaryVerbs, SentKeys, SentRequest } from './messages.ts';

/** The primary has its own deadline, and after it still an answer to give. */
const PATIENCE = DEADLINE + 1_000;
const SILENT = failed('the primary does not answer');

/** The authorization servers as a worker reaches them: every question goes to the desk in the primary. */
export interface RemoteServers {
  /** `every`: milliseconds between two looks at the keys, as configured. */
  at(desk: string, every: number): RemoteServer;
  keysCame(desk: string, keys: SentKeys): void;
  feedSays(desk: string, messages: readonly FeedMessage[]): void;
}

export function remoteServers(line: Line<PrimaryVerbs, PrimaryNews>): RemoteServers {
  const keyFollowers = new Map<string, Set<(keys: SentKeys) => void>>();
  const sinks = new Map<string, Set<FeedSink>>();

  const about = (desk: string): Metadata => {
    const ask = (member: MetadataMember) => line.ask('endpoint', { desk, member }, 2 * PATIENCE);
    return {
      endpoint: async (member) => required(await ask(member)),
      optional: async (member) => {
        const told = await ask(member);
        return told === undefined ? SILENT : (told ?? undefined);
      },
    };
  };
  const keys = (desk: string, every: number): KeySource => {
    let have = 0;
    let isNewer = true;
    return {
      every,
      async load() {
        const before = have;
        const told = await line.ask('keys', { desk, have }, 2 * PATIENCE);
        have = Math.max(have, told?.version ?? 0);
        const set = told?.set ?? SILENT;
        isNewer = have > before && !(set.kind === 'json' && (set.age ?? 0) > 0);
        return set;
      },
      isNewer: () => isNewer,
      follow: (came) =>
        joined(keyFollowers, desk, (sent: SentKeys) => {
          if (sent.version <= have) return;
          have = sent.version;
          came(sent.set);
        }),
    };
  };
  const feed =
    (desk: string): OpenFeed =>
    (sink) => {
      let leave = () => {};
      return {
        start() {
          const isFirst = !sinks.has(desk);
          leave = joined(sinks, desk, sink);
          if (isFirst) line.tell('follow', desk);
        },
        close() {
          leave();
          if (!sinks.has(desk)) line.tell('unfollow', desk);
        },
      };
    };
  return {
    at: (desk, every) => ({
      id: desk,
      fetch: async (request) => {
        const told = line.ask('fetch', { desk, request: pack(request) }, PATIENCE);
        return (await cut(told, request.signal)) ?? SILENT;
      },
      about: about(desk),
      keys: keys(desk, every),
      feed: feed(desk),
    }),
    keysCame(desk, sent) {
      for (const follower of keyFollowers.get(desk) ?? []) follower(sent);
    },
    feedSays(desk, messages) {
      for (const sink of sinks.get(desk) ?? []) for (const message of messages) sink(message);
    },
  };
}

function required(told: string | FailedFetch | null | undefined): string | FailedFetch {
  return told ?? SILENT;
}

function pack({ url, form, headers = {}, judgeType = true }: JsonRequest): SentRequest {
  return { url, form: form?.toString() ?? null, headers, judgeType };
}

/** Who waits no more gets no answer; the call itself goes on for the others. */
function cut(told: Promise<Fetched | undefined>, signal: AbortSignal): Promise<Fetched | undefined> {
  const late = new Promise<Fetched>((resolve) => {
    signal.addEventListener('abort', () => resolve(failed(`no answer within ${DEADLINE} ms`)), { once: true });
  });
  return Promise.race([told, late]);
}

function joined<Member>(groups: Map<string, Set<Member>>, name: string, member: Member): () => void {
  const group = groups.get(name) ?? new Set();
  groups.set(name, group.add(member));
  return () => {
    group.delete(member);
    if (group.size === 0 && groups.get(name) === group) groups.delete(name);
  };
}
