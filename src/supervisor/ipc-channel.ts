import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** Verb → its request and its answer. Everything is JSON, so nothing is undefined. */
export type Verbs<Names> = { readonly [Name in keyof Names]: { readonly asked: unknown; readonly told: unknown } };

/** One end of the channel between a primary and a worker. */
export interface IpcChannel<Theirs extends Verbs<Theirs>, News> {
  /**
   * Sends a request. Resolves to undefined if no answer arrives within these milliseconds, if too many requests are
   * pending, or if the other end is gone.
   */
  ask<Verb extends keyof Theirs & string>(
    verb: Verb,
    asked: Theirs[Verb]['asked'],
    deadline: number,
  ): Promise<Theirs[Verb]['told'] | undefined>;
  tell<Name extends keyof News & string>(name: Name, news: News[Name]): void;
  /**
   * Sends a connection after all earlier messages, and also keeps it open here. `failed` is called if no process can
   * take it.
   */
  hand(socket: Socket, failed: () => void, entrance: Entrance): void;
}

/** Where a connection arrived: at the listener for clients, or at a listener for proxies that ask. */
export type Entrance = 'listen' | 'decision' | 'grpc';

/** What this end does with incoming messages. A connection arrives without a message. */
export interface Handlers<Ours extends Verbs<Ours>, Heard> {
  readonly answers: {
    readonly [Verb in keyof Ours]: (asked: Ours[Verb]['asked']) => Ours[Verb]['told'] | Promise<Ours[Verb]['told']>;
  };
  readonly hears: { readonly [Name in keyof Heard]: (news: Heard[Name]) => void };
  readonly takes?: (socket: Socket, entrance: Entrance) => void;
  /** An exception in a handler is a defect of the gateway. */
  readonly broken: (error: unknown) => void;
}

/** One end of the channel. In the primary, it is the `ChildProcess` of a worker. In a worker, it is `process`. */
export interface IpcEnd {
  readonly connected: boolean;
  send: ChildProcess['send'];
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
}

type Item =
  | readonly ['ask', id: number, verb: string, asked: unknown]
  | readonly ['answer', id: number, told: unknown]
  | readonly ['broken', id: number]
  | readonly ['news', name: string, news: unknown];

/** The maximum number of pending requests. Further ones get no answer. */
const MOST_ASKED = 10_000;

/**
 * Joins all messages of one turn of the event loop, so under load many requests cost little more than one. Both ends
 * have the same program version, so incoming messages match their types.
 */
export function openIpcChannel<Theirs extends Verbs<Theirs>, News, Ours extends Verbs<Ours>, Heard>(
  end: IpcEnd,
  handlers: Handlers<Ours, Heard>,
): IpcChannel<Theirs, News> {
  const { say, hand } = sender(end);
  const waiting = new Map<number, (told: unknown) => void>();
  let last = 0;

  const settle = (id: number, told: unknown) => {
    waiting.get(id)?.(told);
    waiting.delete(id);
  };
  const answer = async (id: number, verb: string, asked: unknown) => {
    try {
      const told = (handlers.answers[verb as keyof Ours] as (asked: unknown) => unknown)(asked);
      say(['answer', id, told instanceof Promise ? await told : told]);
    } catch (error) {
      say(['broken', id]);
      handlers.broken(error);
    }
  };
  const heed = (name: string, news: unknown) => {
    try {
      (handlers.hears[name as keyof Heard] as (news: unknown) => void)(news);
    } catch (error) {
      handlers.broken(error);
    }
  };
  const hear = (item: Item) => {
    switch (item[0]) {
      case 'ask':
        return void answer(item[1], item[2], item[3]);
      case 'news':
        return heed(item[1], item[2]);
      default:
        return settle(item[1], item[2]);
    }
  };

  end.on('message', (message, handle) => {
    if (handle !== undefined && handle !== null) handlers.takes?.(handle as Socket, message as Entrance);
    else for (const item of message as readonly Item[]) hear(item);
  });
  return {
    ask(verb, asked, deadline) {
      if (!end.connected || waiting.size >= MOST_ASKED) return Promise.resolve(undefined);
      const id = ++last;
      return new Promise((resolve) => {
        const timer = setTimeout(settle, deadline, id, undefined).unref();
        waiting.set(id, (told) => {
          clearTimeout(timer);
          resolve(told as Awaited<ReturnType<typeof this.ask>>);
        });
        say(['ask', id, verb, asked]);
      });
    },
    tell: (name, news) => say(['news', name, news]),
    hand,
  };
}

function sender(end: IpcEnd) {
  let items: Item[] = [];
  let planned: NodeJS.Immediate | undefined;
  const flush = () => {
    clearImmediate(planned);
    planned = undefined;
    const sent = items;
    items = [];
    // An ended process receives nothing more. The primary notices its exit, and a worker notices `disconnect`.
    if (sent.length > 0 && end.connected) end.send(sent, undefined, {}, () => {});
  };
  const say = (item: Item) => {
    items.push(item);
    planned ??= setImmediate(flush);
  };
  const hand = (socket: Socket, failed: () => void, entrance: Entrance) => {
    flush();
    if (!end.connected) return failed();
    end.send(entrance, socket, { keepOpen: true }, (error) => {
      if (error !== null) failed();
    });
  };
  return { say, hand };
}
