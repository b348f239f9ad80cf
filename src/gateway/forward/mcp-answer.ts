import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { Gathered } from '../client/gathered.ts';
import type { CallPlan, Forward } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { readAnswerText, readEventData } from '../mcp/answer-text.ts';
import { EventStream } from '../mcp/event-stream.ts';
import type { ListReader } from '../mcp/lists.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import type { AnswerHandler, AnswerMemory } from '../upstreams/own/answer-handler.ts';
import { contentTypeOf, isCoded, isEmpty, sealedFields, withoutLength } from './mcp-answer-fields.ts';
import { permitsOf } from './permits-operation.ts';
import type { Relay } from './relay.ts';

/** The handler itself, or a reader of the answer in front of it, if the request is for an `mcp` route. */
export function readingAnswer(handler: AnswerHandler, relay: Relay, plan: Forward, log: Logger): AnswerHandler {
  const { mcp, route } = plan;
  if (mcp === undefined || route.mcp === undefined || mcp.reads === 'nothing') return handler;
  return new McpAnswer({ handler, relay, plan, calls: mcp, mcp: route.mcp, log });
}

interface Parts {
  readonly handler: AnswerHandler;
  readonly relay: Relay;
  readonly plan: Forward;
  readonly calls: CallPlan;
  readonly mcp: McpRoute<Route>;
  readonly log: Logger;
}

/** A JSON answer that is held until it is complete. */
interface HeldAnswer {
  readonly status: number;
  /** Without Content-Length. */
  readonly fields: readonly string[];
  readonly resume: () => void;
  readonly body: Gathered;
}

type Unreadable = 'compressed' | 'too long' | 'not JSON' | 'neither JSON nor an event stream';

/**
 * Reads the upstream's answer to a message. It binds the ids of sessions and events to the caller, takes what the
 * caller may not use out of lists, and learns the tools. The methods are undici's dispatch handler.
 */
class McpAnswer implements AnswerHandler {
  readonly #parts: Parts;
  #abort: (reason?: Error) => void = nothing;
  #held: HeldAnswer | undefined;
  #events: EventStream | undefined;
  /** The client got another answer, so this one is discarded. */
  #isDropped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
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
    this.#parts.handler.onConnect(abort);
  }

  onRequestSent(): void {
    this.#parts.handler.onRequestSent?.();
  }

  onHeaders(status: number, raw: Fields, resume: () => void, reason?: string, memory?: AnswerMemory): boolean {
    const { handler, calls, mcp } = this.#parts;
    if (status < 200) return handler.onHeaders(status, raw, resume, reason, memory);
    const fields = sealedFields(raw, calls, mcp);
    const isRead = status < 300 && calls.reads !== 'head';
    const type = isRead ? contentTypeOf(raw) : 'other';
    if (type === 'events' || (type === 'json' && calls.reads === 'list')) {
      if (isCoded(raw)) return this.#refuse('compressed');
      const unsized = withoutLength(fields);
      return type === 'json' ? this.#hold(unsized, status, resume) : this.#beginEvents(unsized, status, resume);
    }
    if (isRead && calls.reads === 'list' && mcp.filtersLists && mayHaveContent(status, raw))
      return this.#refuse('neither JSON nor an event stream');
    return handler.onHeaders(status, fields, resume, reason, fields === raw ? memory : undefined);
  }

  #beginEvents(fields: readonly string[], status: number, resume: () => void): boolean {
    const { calls, mcp } = this.#parts;
    const reader = this.#isOfLists ? this.#listReader() : undefined;
    const data = (text: string) => (reader === undefined ? text : readEventData(text, reader));
    const id = (text: string) => (mcp.sessions ? mcp.seal.seal('event', calls.owner, text) : text);
    this.#events = new EventStream({ data, id }, mcp.body);
    return this.#parts.handler.onHeaders(status, fields, resume);
  }

  /** A resumed stream may repeat the answer to a list, and a server may mix up requests with the same id. */
  get #isOfLists(): boolean {
    const { calls, mcp } = this.#parts;
    return mcp.filtersLists || calls.reads === 'list' || calls.call === undefined;
  }

  #hold(fields: readonly string[], status: number, resume: () => void): boolean {
    this.#held = { fields, status, resume, body: new Gathered(() => true) };
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isDropped) return true;
    if (this.#held !== undefined) return this.#keep(this.#held, chunk);
    return this.#events === undefined ? this.#parts.handler.onData(chunk) : this.#pass(this.#events, chunk);
  }

  onLent(chunk: Buffer): boolean {
    const { handler } = this.#parts;
    const isPlain = !this.#isDropped && this.#held === undefined && this.#events === undefined;
    return isPlain && handler.onLent !== undefined ? handler.onLent(chunk) : this.onData(Buffer.from(chunk));
  }

  #keep(held: HeldAnswer, chunk: Buffer): boolean {
    if (held.body.bytes + chunk.length > this.#parts.mcp.body) return this.#refuse('too long');
    return held.body.add(chunk);
  }

  #pass(events: EventStream, chunk: Buffer): boolean {
    try {
      return this.#write(events.push(chunk));
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
    this.#parts.handler.onComplete(trailers);
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
    // Drops a byte order mark, as clients do.
    const received = new TextDecoder().decode(held.body.whole);
    const text = readAnswerText(received, this.#listReader());
    if (text === undefined) {
      this.#refuse('not JSON');
      return false;
    }
    const body = Buffer.from(text, 'utf8');
    const { handler } = this.#parts;
    handler.onHeaders(held.status, [...held.fields, 'content-length', String(body.length)], held.resume);
    handler.onData(body);
    return true;
  }

  onError(error: Error): void {
    if (!this.#isDropped || this.#events !== undefined) this.#parts.handler.onError(error);
  }

  onUpgrade(status: number, raw: Fields, socket: Duplex): void {
    this.#parts.handler.onUpgrade?.(status, raw, socket);
  }

  /** The rest of the answer may be long, so its connection ends. */
  #refuse(why: Unreadable): boolean {
    this.#isDropped = true;
    this.#held = undefined;
    this.#parts.relay.refuse({ code: 'mcp_answer_unreadable', detail: `the answer is ${why}` });
    this.#abort(new Error(`the answer is ${why}`));
    return true;
  }

  #listReader(): ListReader {
    const { mcp, plan, log } = this.#parts;
    return {
      permits: mcp.filtersLists ? permitsOf(mcp, plan.identity) : undefined,
      learn: (name, tool) => {
        const before = mcp.tools.learn(name, tool);
        if (before !== undefined)
          log.warn({ route: plan.route.id, tool: name, before, now: mcp.tools.get(name)?.digest }, CHANGED);
      },
    };
  }
}

function mayHaveContent(status: number, raw: Fields): boolean {
  return status !== 204 && !isEmpty(raw);
}

/** The definition decides what a model does with a tool, so someone should read the new one. */
const CHANGED = 'the upstream changed the definition of a tool';

type Fields = readonly string[];

function nothing(): void {}
