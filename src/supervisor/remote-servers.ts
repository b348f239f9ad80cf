import type { FeedMessage, FeedSink } from '../gateway/revocation/events.ts';
import type { FeedSource } from '../gateway/revocation/follow-feed.ts';
import {
  type FailedFetch,
  FETCH_DEADLINE,
  type Fetched,
  failed,
  type JsonRequest,
} from '../gateway/server-client/fetch-json.ts';
import type { KeySource } from '../gateway/server-client/key-source.ts';
import type { Metadata, MetadataMember } from '../gateway/server-client/metadata.ts';
import type { RemoteServer } from '../gateway/verify/remote-server.ts';
import type { IpcChannel } from './ipc-channel.ts';
import type { PrimaryNews, PrimaryVerbs, SentKeys, SentRequest } from './messages.ts';

/** The primary has its own deadline, and needs time to answer after it. */
const PATIENCE = FETCH_DEADLINE + 1_000;
const SILENT = failed('the primary does not answer');

type PrimaryLine = IpcChannel<PrimaryVerbs, PrimaryNews>;
type KeyFollowers = Map<string, Set<(keys: SentKeys) => void>>;
type FeedSinks = Map<string, Set<FeedSink>>;

/** The authorization servers as a worker reaches them. Every call goes to a broker in the primary. */
export interface RemoteServers {
  /** `every`: milliseconds between two checks of the keys, as configured. */
  at(desk: string, every: number): RemoteServer;
  keysCame(desk: string, keys: SentKeys): void;
  feedSays(desk: string, messages: readonly FeedMessage[]): void;
}

export function remoteServers(line: PrimaryLine): RemoteServers {
  return new ServersOfPrimary(line);
}

class ServersOfPrimary implements RemoteServers {
  readonly #line: PrimaryLine;
  /** By the id of a broker. */
  readonly #keyFollowers: KeyFollowers = new Map();
  readonly #sinks: FeedSinks = new Map();

  constructor(line: PrimaryLine) {
    this.#line = line;
  }

  at(desk: string, every: number): RemoteServer {
    return {
      id: desk,
      fetch: (request) => this.#fetch(desk, request),
      about: aboutServer(this.#line, desk),
      keys: new KeysOfPrimary(this.#line, this.#keyFollowers, desk, every),
      feed: (sink) => feedOfPrimary(this.#line, this.#sinks, desk, sink),
    };
  }

  keysCame(desk: string, sent: SentKeys): void {
    for (const follower of this.#keyFollowers.get(desk) ?? []) follower(sent);
  }

  feedSays(desk: string, messages: readonly FeedMessage[]): void {
    for (const sink of this.#sinks.get(desk) ?? []) for (const message of messages) sink(message);
  }

  async #fetch(desk: string, request: JsonRequest): Promise<Fetched> {
    const told = this.#line.ask('fetch', { desk, request: pack(request) }, PATIENCE);
    return (await cut(told, request.signal)) ?? SILENT;
  }
}

function aboutServer(line: PrimaryLine, desk: string): Metadata {
  const ask = (member: MetadataMember) => line.ask('endpoint', { desk, member }, 2 * PATIENCE);
  return {
    endpoint: async (member) => required(await ask(member)),
    optional: async (member) => {
      const told = await ask(member);
      return told === undefined ? SILENT : (told ?? undefined);
    },
  };
}

class KeysOfPrimary implements KeySource {
  readonly #line: PrimaryLine;
  readonly #followers: KeyFollowers;
  readonly #desk: string;
  readonly every: number;
  /** The number of the newest received set. */
  #have = 0;
  #isNewer = true;

  constructor(line: PrimaryLine, followers: KeyFollowers, desk: string, every: number) {
    this.#line = line;
    this.#followers = followers;
    this.#desk = desk;
    this.every = every;
  }

  async load(): Promise<Fetched> {
    const before = this.#have;
    const told = await this.#line.ask('keys', { desk: this.#desk, have: before }, 2 * PATIENCE);
    this.#have = Math.max(this.#have, told?.version ?? 0);
    const set = told?.set ?? SILENT;
    this.#isNewer = this.#have > before && !(set.kind === 'json' && (set.age ?? 0) > 0);
    return set;
  }

  isNewer(): boolean {
    return this.#isNewer;
  }

  follow(came: (set: Fetched) => void): () => void {
    return joined(this.#followers, this.#desk, (sent) => {
      if (sent.version <= this.#have) return;
      this.#have = sent.version;
      came(sent.set);
    });
  }
}

function feedOfPrimary(line: PrimaryLine, sinks: FeedSinks, desk: string, sink: FeedSink): FeedSource {
  let leave = () => {};
  return {
    start() {
      leave = joined(sinks, desk, sink);
      // Also for a later sink, because only a new subscription brings the earlier events.
      line.tell('follow', desk);
    },
    close() {
      leave();
      if (!sinks.has(desk)) line.tell('unfollow', desk);
    },
  };
}

function required(told: string | FailedFetch | null | undefined): string | FailedFetch {
  return told ?? SILENT;
}

function pack({ url, form, headers = {}, judgeType = true }: JsonRequest): SentRequest {
  return { url, form: form?.toString() ?? null, headers, judgeType };
}

/** If the caller gives up, it gets no answer. The call itself continues for other callers. */
function cut(told: Promise<Fetched | undefined>, signal: AbortSignal): Promise<Fetched | undefined> {
  const late = new Promise<Fetched>((resolve) => {
    signal.addEventListener('abort', () => resolve(failed(`no answer within ${FETCH_DEADLINE} ms`)), { once: true });
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
