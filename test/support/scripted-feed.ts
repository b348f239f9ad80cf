import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { Agent } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { faultLog } from '../../src/gateway/message/fault-log.ts';
import type { FeedMessage } from '../../src/gateway/revocation/events.ts';
import { followFeed } from '../../src/gateway/revocation/follow-feed.ts';
import { jsonFetcher } from '../../src/gateway/server-client/fetch-json.ts';

export type Play = (response: ServerResponse, request: IncomingMessage, call: number) => void;

export interface FollowedScript {
  readonly messages: readonly FeedMessage[];
  readonly requests: readonly IncomingMessage[];
  readonly log: readonly { readonly level: string; readonly detail: string }[];
  /** The reasons with which the follower said that there is no feed. */
  readonly absences: readonly string[];
}

export interface ScriptOptions {
  readonly pollWait?: number;
  /** If the server's metadata name the feed, by the number of the question. */
  readonly named?: (call: number) => boolean;
}

export const stream = { 'content-type': 'text/event-stream' };

/** A feed that sends what the script writes, and what a follower receives from it. */
export async function followScript(
  t: Test,
  play: Play,
  { pollWait = 1, named = () => true }: ScriptOptions = {},
): Promise<FollowedScript> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    play(response, request, requests.length);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  const messages: FeedMessage[] = [];
  const log: { level: string; detail: string }[] = [];
  const tell = (level: string) => (fields: object) => void log.push({ level, detail: '', ...fields });
  const absences: string[] = [];
  let questions = 0;
  const dispatcher = new Agent();
  const source = followFeed({
    url: async () => (named(++questions) ? url : undefined),
    absent: (detail) => absences.push(detail),
    pollWait,
    authenticate: () => ({ kind: 'authentication', headers: { authorization: 'Basic eDp5' }, form: {} }),
    dispatcher,
    fetch: jsonFetcher(dispatcher),
    clock: systemClock,
    faults: faultLog({ info: tell('info'), warn: tell('warn'), error: tell('error') } as never, {}, 'feed'),
  })((message) => messages.push(message));
  source.start();
  t.teardown(async () => {
    source.close();
    server.closeAllConnections();
    server.close();
    await dispatcher.destroy();
  });
  return { messages, requests, log, absences };
}
