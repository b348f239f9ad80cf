import { Agent, request } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { GatewayLog } from '../message/fault-log.ts';
import { FETCH_DEADLINE, fetchFault } from '../server-client/fetch-json.ts';
import { connectOptions, NO_AUTHORITY, trustOf } from '../server-client/trust.ts';
import { type EventLog, entryKey, type LogEntry } from './event-log.ts';
import type { ReportingServer } from './receiving.ts';
import type { Receipt } from './token-receiver.ts';

export interface Logout {
  /** The name of the server in the file. */
  readonly name: string;
  readonly token: string;
  readonly receipt: Receipt;
}

/** `failed`: the client does not know yet, so the sender must try again. */
export type Relayed = 'done' | 'failed' | 'not_needed';

/** Sends accepted logout tokens to the client's own address, because a server knows only one for each client. */
export class Relays {
  readonly #received: EventLog;
  readonly #clock: Clock;
  readonly #log: GatewayLog;
  /** A repeat waits for the relay of the same token. */
  readonly #running = new Map<string, Promise<Relayed>>();

  constructor(received: EventLog, clock: Clock, log: GatewayLog) {
    this.#received = received;
    this.#clock = clock;
    this.#log = log;
  }

  /** Never rejects. */
  async relay(sender: ReportingServer | undefined, { name, token, receipt }: Logout): Promise<Relayed> {
    const url = sender?.config.backchannel_logout?.relay_to;
    if (sender === undefined || url === undefined) return 'not_needed';
    if (receipt.kind !== 'accepted' && receipt.kind !== 'again') return 'not_needed';
    const mark = this.#markOf(sender, receipt.id);
    // Any replica may have accepted the token, and its relay may have failed there.
    if (receipt.kind === 'again' && this.#received.has(mark)) return 'not_needed';
    const key = entryKey(mark);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const sent = this.#send(sender, { name, url, token, mark }).finally(() => this.#running.delete(key));
    this.#running.set(key, sent);
    return sent;
  }

  async #send(sender: ReportingServer, { name, url, token, mark }: Message): Promise<Relayed> {
    const fault = await post(sender, url, token);
    if (fault === undefined) {
      // Without this mark, a repeat is relayed again. A client that knows the `jti` then answers 400, and the sender gives up.
      await this.#received.append(mark);
      return 'done';
    }
    this.#log.warn({ server: name, reason: fault }, 'receiver: could not report a logout to the client');
    return 'failed';
  }

  /** In the log of all replicas, an entry without events: the client has this token. */
  #markOf({ config: { issuer, max_token_lifetime, clock_skew } }: ReportingServer, id: string): LogEntry {
    // Not shorter than the entry of the token, whose `iat` may be in the future by the skew.
    const until = Math.ceil((this.#clock.now() + max_token_lifetime + 2 * clock_skew) / 1000) + 1;
    return { issuer, id: `relayed\n${id}`, until, events: [] };
  }
}

interface Message {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly mark: LogEntry;
}

/** Returns why it failed. Redirects are not followed. */
async function post({ config, directory }: ReportingServer, url: string, token: string): Promise<string | undefined> {
  const trust = trustOf(config, { directory });
  if (trust.kind === 'none') return NO_AUTHORITY;
  const dispatcher = new Agent({ connect: connectOptions(trust) });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
      signal: AbortSignal.timeout(FETCH_DEADLINE),
    });
    await body.dump();
    return statusCode < 300 ? undefined : `HTTP ${statusCode}`;
  } catch (error) {
    return fetchFault(error);
  } finally {
    await dispatcher.destroy();
  }
}
