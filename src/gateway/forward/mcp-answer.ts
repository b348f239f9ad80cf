import type { Duplex } from 'node:stream';
import type { Exchange } from '../client/exchange.ts';
import type { CallPlan, Forward } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { mayHaveList, readAnswerText, readEventData } from '../mcp/answer-text.ts';
import { EventStream } from '../mcp/event-stream.ts';
import type { ListReader } from '../mcp/lists.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import type { AnswerHandler, AnswerMemory } from '../upstreams/own/answer-handler.ts';
import type { UpstreamRefusal } from './abort-reasons.ts';
import { AnswerLoan, AnswersSaturated } from './answer-loan.ts';
import { HeldAnswer } from './held-answer.ts';
import { contentTypeOf, forOtherBody, isCoded, lengthOf, sealedFields } from './mcp-answer-fields.ts';
import { permitsOf } from './permits-operation.ts';
import type { Relay } from './relay.ts';

/** The handler itself, or a reader of the answer in front of it, if the request is for an `mcp` route. */
export function readingAnswer(handler: AnswerHandler, relay: Relay, plan: Forward, exchange: Exchange): AnswerHandler {
  const { mcp, route } = plan;
  if (mcp === undefined || route.mcp === undefined || mcp.reads === 'nothing') return handler;
  return new McpAnswer({ handler, relay, plan, calls: mcp, mcp: route.mcp, exchange });
}

interface Parts {
  readonly handler: AnswerHandler;
  readonly relay: Relay;
  readonly plan: Forward;
  readonly calls: CallPlan;
  readonly mcp: McpRoute<Route>;
  readonly exchange: Exchange;
}

type Unreadable = 'compressed' | 'too long' | 'not JSON' | 'neither JSON nor an event stream';

/**
 * Reads the upstream's answer to a message. It binds the ids of sessions and events to the caller, removes from lists
 * what the caller may not use, and learns the tools. The methods are undici's dispatch handler.
 */
class McpAnswer implements AnswerHandler {
  readonly #parts: Parts;
  readonly #loan: AnswerLoan;
  #abort: (reason?: Error) => void = nothing;
  #held: HeldAnswer | undefined;
  #events: EventStream | undefined;
  /** The client got another answer, so this one is discarded. */
  #isDropped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#loan = new AnswerLoan(parts.exchange);
  }

  onQueued(leave: () => void): void {
    this.#parts.handler.onQueued?.(leave);
  }

  /** Each attempt begins with a fresh answer. */
  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    this.#held = undefined;
    this.#events = undefined;
    this.#isDropped = false;
    this.#loan.end();
    this.#parts.handler.onConnect(abort);
  }

  onRequestSent(): void {
    this.#parts.handler.onRequestSent?.();
  }

  onHeaders(status: number, raw: Fields, resume: () => void, reason?: string, memory?: AnswerMemory): boolean {
    const { handler, calls, mcp } = this.#parts;
    if (status < 200) return handler.onHeaders(status, raw, resume, reason, memory);
    const fields = sealedFields(raw, calls, mcp);
    const type = status < 300 && calls.reads !== 'head' && mayHaveContent(status, raw) ? contentTypeOf(raw) : 'none';
    if (type === 'events' || (type === 'json' && this.#mayBeList(raw))) {
      if (isCoded(raw)) return this.#unreadable('compressed');
      return type === 'json' ? this.#hold(fields, status, resume) : this.#beginEvents(fields, status, resume);
    }
    if (type === 'other' && calls.reads === 'list' && mcp.filtersLists)
      return this.#unreadable('neither JSON nor an event stream');
    return handler.onHeaders(status, fields, resume, reason, fields === raw ? memory : undefined);
  }

  /**
   * A server with sessions may mix up requests with the same id. A longer answer or event is not searched: the gateway
   * refuses such a long list anyway, if a client asks for it.
   */
  #mayBeList(raw: Fields): boolean {
    const { calls, mcp } = this.#parts;
    return calls.reads === 'list' || (mcp.filtersLists && (lengthOf(raw) ?? 0) <= mcp.body);
  }

  #beginEvents(fields: readonly string[], status: number, resume: () => void): boolean {
    const { calls, mcp } = this.#parts;
    const reader = this.#isOfLists ? this.#listReader() : undefined;
    const data = (text: string) => (reader === undefined ? text : readEventData(text, reader));
    const id = (text: string) => (mcp.sessions ? mcp.seal.seal('event', calls.owner, text) : text);
    this.#events = new EventStream({ data, id, passesLong: calls.reads !== 'list' }, mcp.body);
    return this.#parts.handler.onHeaders(status, forOtherBody(fields), resume);
  }

  /** A resumed stream may repeat the answer to a list, and a server may mix up requests with the same id. */
  get #isOfLists(): boolean {
    const { calls, mcp } = this.#parts;
    return mcp.filtersLists || calls.reads === 'list' || calls.call === undefined;
  }

  #hold(fields: readonly string[], status: number, resume: () => void): boolean {
    this.#held = new HeldAnswer({ fields, status, resume }, this.#loan);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isDropped) return true;
    if (this.#held !== undefined) return this.#keep(this.#held, chunk);
    return this.#events === undefined ? this.#parts.handler.onData(chunk) : this.#pass(this.#events, chunk);
  }

  onLent(chunk: Buffer): boolean {
    const { handler } = this.#parts;
    return this.#isPlain && handler.onLent !== undefined ? handler.onLent(chunk) : this.onData(Buffer.from(chunk));
  }

  /** The client gets the bytes of the upstream. */
  get #isPlain(): boolean {
    return !this.#isDropped && this.#held === undefined && this.#events === undefined;
  }

  #keep(held: HeldAnswer, chunk: Buffer): boolean {
    const { calls, handler, mcp } = this.#parts;
    if (held.bytes + chunk.length <= mcp.body) return held.add(chunk) || this.#refuse(NO_MEMORY);
    if (calls.reads === 'list') return this.#unreadable('too long');
    this.#held = undefined;
    const goesOn = held.release(handler, held.fields, held.body);
    this.#loan.end();
    return handler.onData(chunk) && goesOn;
  }

  #pass(events: EventStream, chunk: Buffer): boolean {
    try {
      const goesOn = this.#write(events.push(chunk));
      if (this.#loan.holds(events.held)) return goesOn;
      throw new AnswersSaturated(NO_MEMORY.detail);
    } catch (error) {
      this.#isDropped = true;
      this.#abort(error as Error);
      return true;
    }
  }

  #write(text: string): boolean {
    return text === '' || this.#parts.handler.onData(Buffer.from(text, 'utf8'));
  }

  onWait(): void {
    if (this.#held === undefined && !this.#isDropped) this.#parts.handler.onWait?.();
  }

  onComplete(trailers: Fields | null): void {
    if (this.#isDropped) return;
    if (this.#held !== undefined && !this.#release(this.#held)) return;
    if (this.#events !== undefined && !this.#finish(this.#events)) return;
    this.#loan.end();
    this.#parts.handler.onComplete(this.#isPlain || trailers === null ? trailers : forOtherBody(trailers));
  }

  /** False: the rest is unreadable, so the client's answer is truncated. */
  #finish(events: EventStream): boolean {
    try {
      this.#write(events.end());
      return true;
    } catch (error) {
      this.#isDropped = true;
      this.#parts.handler.onError(error as Error);
      return false;
    }
  }

  /** False: the answer is unreadable. */
  #release(held: HeldAnswer): boolean {
    const { handler, calls } = this.#parts;
    const received = held.body;
    // Drops a byte order mark, as clients do.
    const text = new TextDecoder().decode(received);
    if (text === '' || (calls.reads !== 'list' && !mayHaveList(text))) {
      held.release(handler, held.fields, received);
      return true;
    }
    const read = readAnswerText(text, this.#listReader());
    if (read === undefined) {
      this.#unreadable('not JSON');
      return false;
    }
    const body = Buffer.from(read, 'utf8');
    held.release(handler, [...forOtherBody(held.fields), 'content-length', String(body.length)], body);
    return true;
  }

  onError(error: Error): void {
    if (!this.#isDropped || this.#events !== undefined) this.#parts.handler.onError(error);
  }

  onUpgrade(status: number, raw: Fields, socket: Duplex): void {
    this.#parts.handler.onUpgrade?.(status, raw, socket);
  }

  #unreadable(why: Unreadable): boolean {
    return this.#refuse({ code: 'mcp_answer_unreadable', detail: `the answer is ${why}` });
  }

  /** The rest of the answer may be long, so its connection ends. */
  #refuse(refusal: UpstreamRefusal): boolean {
    this.#isDropped = true;
    this.#held = undefined;
    this.#loan.end();
    this.#parts.relay.refuse(refusal);
    this.#abort(new Error(refusal.detail));
    return true;
  }

  #listReader(): ListReader {
    const { mcp, plan, exchange } = this.#parts;
    return {
      permits: mcp.filtersLists ? permitsOf(mcp, plan.identity) : undefined,
      learn: (name, tool) => {
        const before = mcp.tools.learn(name, tool);
        if (before !== undefined)
          exchange.shared.log.warn(
            { route: plan.route.id, tool: name, before, now: mcp.tools.get(name)?.digest },
            CHANGED,
          );
      },
    };
  }
}

function mayHaveContent(status: number, raw: Fields): boolean {
  return status !== 204 && lengthOf(raw) !== 0;
}

const NO_MEMORY: UpstreamRefusal = {
  code: 'bodies_saturated',
  detail: 'no memory is left to hold another answer',
  retryAfter: 1,
};

/** The definition decides what a model does with a tool, so someone should read the new one. */
const CHANGED = 'the upstream changed the definition of a tool';

type Fields = readonly string[];

function nothing(): void {}
