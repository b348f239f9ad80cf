import { Agent, request } from 'undici';
import { rest } from '../../base/rest.ts';
import type { SecurityEventsConfig } from '../../config/schema/receiver.ts';
import { isObject, type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { backoff } from '../revocation/backoff.ts';
import { fetchFault, readAll } from '../server-client/fetch-json.ts';
import { statusFault } from '../server-client/status-fault.ts';
import { connectOptions, NO_AUTHORITY, type Trust } from '../server-client/trust.ts';
import type { Receipt } from './token-receiver.ts';

/** Tokens of one answer, and bytes of it. */
const AT_ONCE = 100;
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds. A server holds a long poll for a minute or less. */
const LONGEST_POLL = 120_000;
/** Milliseconds between two polls that bring nothing new. The server may hold none, or repeat what was answered. */
const SHORTEST_POLL = 2_000;

export interface PollerOptions {
  readonly poll: NonNullable<SecurityEventsConfig['poll']>;
  readonly trust: Trust;
  readonly receive: (token: string) => Promise<Receipt>;
  readonly faults: FaultLog;
}

/** What the next poll tells the server about earlier tokens (RFC 8936 §2.2). */
interface Told {
  readonly ack: string[];
  readonly setErrs: Record<string, { readonly err: string; readonly description: string }>;
}

/** Fetches security events with long polls (RFC 8936). A token is confirmed once its effect is safe. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #agent: Agent;
  readonly #over = new AbortController();
  #told: Told = { ack: [], setErrs: {} };

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: connectOptions(options.trust) });
  }

  /** Polls until it is closed. Never rejects. */
  async run(): Promise<void> {
    const pauses = backoff();
    while (!this.#over.signal.aborted) {
      const fault = await this.#poll();
      if (this.#over.signal.aborted) return;
      if (fault === undefined) {
        this.#options.faults.recovered();
        pauses.reset();
        continue;
      }
      this.#options.faults.failed(fault);
      await this.#rest(pauses.next());
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#agent.destroy();
  }

  /** Returns why it failed. */
  async #poll(): Promise<string | undefined> {
    const began = performance.now();
    try {
      const answer = await this.#ask({ maxEvents: AT_ONCE, returnImmediately: false, ...this.#told });
      if (typeof answer === 'string') return answer;
      this.#told = { ack: [], setErrs: {} };
      if (!isObject(answer.sets)) return 'the answer has no object `sets`';
      const { isNews, fault } = await this.#take(answer.sets);
      if (!isNews) await this.#rest(Math.max(0, SHORTEST_POLL - (performance.now() - began)));
      return fault;
    } catch (error) {
      return fetchFault(error, LONGEST_POLL);
    }
  }

  async #ask(question: object): Promise<JsonObject | string> {
    const { trust, poll } = this.#options;
    if (trust.kind === 'none') return NO_AUTHORITY;
    const { url, authorization } = poll;
    const answer = await request(url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(authorization && { authorization }),
      },
      body: JSON.stringify(question),
      signal: AbortSignal.any([this.#over.signal, AbortSignal.timeout(LONGEST_POLL)]),
      headersTimeout: 0,
    });
    const fault = statusFault(answer, url);
    if (fault !== undefined) {
      await answer.body.dump();
      return fault;
    }
    const bytes = await readAll(answer.body, LARGEST);
    return (bytes && parseJsonObject(bytes)) ?? 'the answer is not a JSON object, or is too large';
  }

  /** Tokens that could not be stored are not confirmed, so the server sends them again. */
  async #take(sets: JsonObject): Promise<{ readonly isNews: boolean; readonly fault: string | undefined }> {
    const taken = { isNews: false, fault: undefined as string | undefined };
    for (const [jti, token] of Object.entries(sets).slice(0, AT_ONCE)) {
      const receipt = await this.#options.receive(String(token));
      taken.isNews ||= receipt.kind === 'accepted';
      if (receipt.kind === 'out') taken.fault = receipt.detail;
      else if (receipt.kind !== 'rejected') this.#told.ack.push(jti);
      else this.#told.setErrs[jti] = { err: receipt.code, description: receipt.description };
    }
    return taken;
  }

  #rest(milliseconds: number): Promise<void> {
    return rest(milliseconds, this.#over.signal);
  }
}
