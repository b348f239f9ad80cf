import { setTimeout as pause } from 'node:timers/promises';
import * as Type from 'typebox';
import { Errors } from 'typebox/schema';
import type { ReplicaConfig } from '../../../config/schema/admin.ts';
import { type Backoff, backoff } from '../../revocation/backoff.ts';
import { EventStreamReader } from '../../revocation/event-stream.ts';
import { NO_TOTALS, type Totals } from '../../telemetry/result.ts';
import { askReplica } from './ask-replica.ts';
import { DecisionSchema } from './decision-schema.ts';
import type { LiveSource } from './hub.ts';
import type { Audience, Batch } from './sampler.ts';

export interface ReplicaState {
  readonly url: string;
  /** As it names itself. Undefined: it has not answered yet. */
  readonly gateway: string | undefined;
  /** Undefined: connected, or no one watches. Otherwise, why its decisions are missing. */
  readonly fault: string | undefined;
}

export interface ReplicaParts {
  readonly address: ReplicaConfig;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
  /** The start of this gateway. */
  readonly epoch: () => string;
  readonly receive: (batch: Batch, from: string, audience: number) => void;
  /** Called when `state` changes. */
  readonly changed: () => void;
}

/** The id of the last message with decisions. */
interface Cursor {
  last: string | undefined;
}

/** A message has at most 2,000 decisions with their steps: those that are kept. */
const LIMITS = { line: 16 * 1024 * 1024, lines: 16 };
/** Milliseconds without a byte. The other side sends a heartbeat every 15 seconds. */
const SILENCE = 45_000;

/** Follows the console stream of one replica, once for each audience. */
export class ReplicaStream implements LiveSource {
  readonly #parts: ReplicaParts;
  readonly #followed = new Map<number, AbortController>();
  #gateway: string | undefined;
  /** The start of the replica. After another start, it counts its decisions from 1 again. */
  #epoch = '';
  #fault: string | undefined;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  get state(): ReplicaState {
    return { url: this.#parts.address.url, gateway: this.#gateway, fault: this.#fault };
  }

  watch(audiences: readonly Audience[]): void {
    const wanted = new Set(audiences.map(({ id }) => id));
    for (const [id, followed] of this.#followed) {
      if (wanted.has(id)) continue;
      followed.abort();
      this.#followed.delete(id);
    }
    for (const audience of audiences) if (!this.#followed.has(audience.id)) this.#begin(audience);
    if (audiences.length === 0) this.#fault = undefined;
  }

  #begin(audience: Audience): void {
    const ended = new AbortController();
    this.#followed.set(audience.id, ended);
    void this.#follow(audience, ended.signal);
  }

  /** Connects again until the audience has gone. */
  async #follow(audience: Audience, signal: AbortSignal): Promise<void> {
    const wait = backoff();
    const cursor: Cursor = { last: undefined };
    while (!signal.aborted) {
      const fault = await this.#connect(audience, cursor, signal, wait).catch(reasonOf);
      if (signal.aborted) return;
      this.#tell(fault);
      await pause(wait.next(), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Resolves with the reason when the stream has ended. */
  async #connect({ id, filter }: Audience, cursor: Cursor, signal: AbortSignal, wait: Backoff): Promise<string> {
    const { address, directory } = this.#parts;
    const query = { filter, own: 'true', ...(cursor.last !== undefined && { since: cursor.last }) };
    const question = { query, accept: 'text/event-stream', signal, silence: SILENCE, directory };
    const { statusCode, body } = await askReplica(address, question);
    if (statusCode !== 200) {
      body.on('error', () => {}).destroy();
      return `it answered ${statusCode}`;
    }
    return await this.#readAll(body, id, cursor, wait);
  }

  async #readAll(body: AsyncIterable<Uint8Array>, id: number, cursor: Cursor, wait: Backoff): Promise<string> {
    const reader = new EventStreamReader(LIMITS);
    for await (const chunk of body) {
      for (const item of reader.read(chunk)) {
        if (item.kind === 'fault') return item.detail;
        if (item.kind !== 'frame') continue;
        const message = readMessage(item.data);
        if (message === undefined) return 'its answer has an unknown form';
        if (message.epoch === this.#parts.epoch()) return 'it is this gateway itself';
        wait.reset();
        if (this.#hear(message, id)) cursor.last = item.id;
      }
    }
    return 'it ended the stream';
  }

  /** Whether the message has decisions. */
  #hear(message: Message, audience: number): boolean {
    this.#tell(undefined, message.gateway);
    this.#epoch = message.epoch ?? this.#epoch;
    if (message.decisions === undefined) return false;
    const { decisions, left = 0, slow = 0, totals = NO_TOTALS } = message;
    const name = this.#gateway ?? this.#parts.address.url;
    for (const [process, some] of Map.groupBy(decisions, (each) => each.process)) {
      const records = some.map(({ number, process: _process, ...record }) => ({
        audiences: [audience],
        json: JSON.stringify(record),
        key: `${this.#epoch} ${number}`,
      }));
      this.#parts.receive(
        { records, left: [], totals: NO_TOTALS },
        process === undefined ? name : `${name} ${process}`,
        audience,
      );
    }
    this.#parts.receive({ records: [], left: [[audience, left + slow]], totals }, name, audience);
    return true;
  }

  #tell(fault: string | undefined, gateway = this.#gateway): void {
    if (this.#fault === fault && this.#gateway === gateway) return;
    this.#fault = fault;
    this.#gateway = gateway;
    this.#parts.changed();
  }
}

/** The first message has `gateway`, and the others have `decisions`. */
interface Message {
  readonly gateway?: string;
  readonly epoch?: string;
  readonly decisions?: readonly ({ readonly number: number; readonly process?: string } & Readonly<
    Record<string, unknown>
  >)[];
  readonly left?: number;
  readonly slow?: number;
  readonly totals?: Totals;
}

const Count = Type.Integer({ minimum: 0 });

const MessageSchema = Type.Object({
  gateway: Type.Optional(Type.String({ maxLength: 256 })),
  epoch: Type.Optional(Type.String({ maxLength: 64 })),
  decisions: Type.Optional(Type.Array(DecisionSchema)),
  left: Type.Optional(Count),
  slow: Type.Optional(Count),
  totals: Type.Optional(Type.Object({ passed: Count, refused: Count, failed: Count })),
});

/** Undefined: the other side is not a gateway, or has an unknown API. */
function readMessage(data: string): Message | undefined {
  const value = parsed(data);
  const [isValid] = Errors(MessageSchema, value);
  return isValid ? (value as Message) : undefined;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
