import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Lines } from '../../message/lines.ts';
import type { AnswerHandler, AnswerMemory } from './answer-handler.ts';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import { AnswerCut, ForeignAnswer, InvalidAnswer } from './invalid-answer.ts';
import { isHeard } from './piece-socket.ts';
import { type WrittenHead, writeHead } from './request-head.ts';
import { Upload } from './upload.ts';

/** One request to an upstream. */
export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  /** The beginning of `fields`, if it is unchanged since the last request. */
  readonly known: Lines | undefined;
  readonly body: Readable | Buffer | null;
  readonly upgrade: string | undefined;
  /** Milliseconds for the upstream to take a body; 0: no limit. */
  readonly headersTimeout: number;
  /** Milliseconds between two bytes of an answer; 0: no limit. */
  readonly bodyTimeout: number;
  readonly handler: AnswerHandler;
  /** The number of connections that had begun to open when the request arrived. */
  readonly dialledBefore: number;
}

/** The owner of the connection. */
export interface Keeper {
  /** Whether a connection stays open for another request. */
  readonly keepAlive: boolean;
  /** The connection is free. `seconds`: how long the upstream keeps it, if it says. */
  free(connection: UpstreamConnection, seconds: number | undefined): void;
  /** Only undici can read an answer of this form. */
  misread(answer: ForeignAnswer): void;
  /** The connection has ended. */
  gone(connection: UpstreamConnection): void;
}

class Silent extends Error {
  readonly code: string;

  constructor(code: string) {
    super('the upstream neither accepted nor sent data for too long');
    this.code = code;
  }
}

class GivenUp extends Error {
  readonly code = 'UND_ERR_ABORTED';
}

/** Bytes of a body that is sent with its head. */
const SMALL = 16 * 1024;

/** A connection to an upstream. It carries one request at a time, and accepts only the bytes of its answer. */
export class UpstreamConnection implements AnswerSink {
  readonly #socket: Socket;
  readonly #keeper: Keeper;
  readonly #reader: AnswerReader;
  /** Whether received bytes must be copied to be kept. */
  readonly #isBorrowed: boolean;
  #sent: OutgoingRequest | undefined;
  #upload: Upload | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTimed = false;
  #isHeld = false;
  #isSwitched = false;
  #error: Error | undefined;

  constructor(socket: Socket, keeper: Keeper) {
    this.#socket = socket;
    this.#keeper = keeper;
    this.#reader = new AnswerReader(this);
    this.#isBorrowed = isHeard(socket);
    if (isHeard(socket)) socket.hear = this.#read;
    else socket.on('data', this.#read);
    socket.on('end', this.#end).on('error', this.#broken).on('close', this.#closed).on('timeout', this.#idle);
  }

  get isUsable(): boolean {
    return this.#sent === undefined && !this.#socket.destroyed;
  }

  /** False: the request was cancelled, and the connection is free. */
  send(sent: OutgoingRequest): boolean {
    const head = this.#headOf(sent);
    if (head === undefined) return false;
    this.#sent = sent;
    sent.handler.onConnect((reason) => this.#abort(sent, reason));
    if (sent.body instanceof Readable && sent.body.destroyed) this.#abort(sent, sent.body.errored ?? undefined);
    if (this.#sent === undefined) return false;
    this.#write(sent, head);
    return true;
  }

  /** No request is waiting for the connection. */
  idle(): void {
    this.#reader.forget();
  }

  destroy(): void {
    this.#fail(new GivenUp('the connections to the upstream are closed'));
    this.#socket.destroy();
  }

  /** Undefined: the request cannot be written. Its sender has been notified, and the connection is still usable. */
  #headOf({ method, path, fields, known, body, upgrade, handler }: OutgoingRequest): WrittenHead | undefined {
    const { keepAlive } = this.#keeper;
    try {
      return writeHead({ method, path, fields, known, upgrade, content: lengthOf(body), keepAlive });
    } catch (error) {
      handler.onError(error as Error);
      return undefined;
    }
  }

  #write(sent: OutgoingRequest, head: WrittenHead): void {
    const { method, body, upgrade } = sent;
    this.#reader.begin({ method, upgrades: upgrade !== undefined });
    if (body instanceof Readable) {
      this.#socket.write(head.text, 'latin1');
      this.#upload = new Upload(this.#socket, body, head, {
        sent: this.#uploaded,
        held: this.#uploadHeld,
        failed: this.#fail,
      });
      this.#watchUpload(sent.headersTimeout);
      return;
    }
    if (body === null || body.length === 0) this.#socket.write(head.text, 'latin1');
    else this.#writeWith(head.text, body);
    sent.handler.onRequestSent?.();
  }

  /** As one string, a small body needs one buffer and one write. */
  #writeWith(head: string, body: Buffer): void {
    if (body.length <= SMALL) {
      this.#socket.write(head + body.toString('latin1'), 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  readonly #uploaded = (): void => {
    clearTimeout(this.#timer);
    this.#upload = undefined;
    this.#sent?.handler.onRequestSent?.();
  };

  /** The upload timeout runs while the upstream must read, not while the client must send. */
  #watchUpload(milliseconds: number): void {
    if (milliseconds === 0) return;
    const timer = setTimeout(() => {
      if (this.#socket.writableNeedDrain) this.#fail(new Silent('UND_ERR_HEADERS_TIMEOUT'));
      else timer.refresh();
    }, milliseconds);
    this.#timer = timer;
  }

  /** The upstream has accepted everything before this, so its timeout restarts. */
  readonly #uploadHeld = (): void => void this.#timer?.refresh();

  onHead({ status, fields }: AnswerHead, memory?: AnswerMemory): boolean {
    const sent = this.#sent;
    if (sent === undefined || this.#heard(sent, status, fields, memory)) return true;
    this.#hold();
    return false;
  }

  #heard(sent: OutgoingRequest, status: number, fields: readonly string[], memory: AnswerMemory | undefined): boolean {
    return sent.handler.onHeaders(status, fields, () => this.#resume(sent), undefined, memory);
  }

  onData(chunk: Buffer): boolean {
    if (this.#sent === undefined) return true;
    if (this.#deliver(this.#sent.handler, chunk)) return true;
    this.#hold();
    return false;
  }

  #deliver(handler: AnswerHandler, chunk: Buffer): boolean {
    if (!this.#isBorrowed) return handler.onData(chunk);
    return handler.onLent === undefined ? handler.onData(Buffer.from(chunk)) : handler.onLent(chunk);
  }

  #hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  #unhold(): void {
    this.#isHeld = false;
    this.#socket.resume();
    // Nothing was reading, so the silence was the gateway's.
    this.#unwatchAnswer();
  }

  onEnd(trailers: readonly string[]): void {
    const { handler } = this.#sent ?? {};
    // The answer ended before the upload. The rest of the upload would look like the next request.
    const isWhole = this.#upload === undefined;
    this.#upload?.stop();
    this.#leave();
    if (!isWhole) this.#socket.destroy();
    handler?.onComplete(trailers);
  }

  onSwitch({ status, fields }: AnswerHead, rest: Buffer): void {
    if (this.#upload !== undefined)
      throw new InvalidAnswer('the upstream switched protocols in the middle of the request');
    const { handler } = this.#sent ?? {};
    const socket = this.#socket;
    this.#isSwitched = true;
    this.#leave();
    if (isHeard(socket)) socket.hear = undefined;
    else socket.off('data', this.#read);
    socket.off('end', this.#end).off('error', this.#broken).off('close', this.#closed).off('timeout', this.#idle);
    socket.pause();
    if (rest.length > 0) socket.unshift(Buffer.from(rest));
    this.#keeper.gone(this);
    if (handler?.onUpgrade === undefined) socket.destroy();
    else handler.onUpgrade(status, fields, socket);
  }

  readonly #read = (chunk: Buffer): void => {
    try {
      this.#reader.read(chunk);
      if (this.#isBorrowed) this.#reader.keepHeld();
      this.#settle();
    } catch (error) {
      this.#fail(error as Error);
    }
  };

  /** It may be called late, for an answer that has already ended. */
  #resume(sent: OutgoingRequest): void {
    if (this.#sent !== sent || !this.#isHeld) return;
    try {
      this.#reader.resume();
      this.#settle();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** After each piece: either more follows, or the connection is free. */
  #settle(): void {
    if (this.#isHeld && !this.#reader.isPaused) this.#unhold();
    if (this.#sent !== undefined) this.#await(this.#sent);
    else if (!this.#isSwitched && !this.#socket.destroyed) this.#letGo();
  }

  #letGo(): void {
    this.#unwatchAnswer();
    if (this.#reader.persists && this.#keeper.keepAlive) this.#keeper.free(this, this.#reader.keepAlive);
    else this.#socket.destroy();
  }

  #await(sent: OutgoingRequest): void {
    this.#watchAnswer(sent);
    sent.handler.onWait?.();
  }

  /** Content that arrives with its head needs no timeout. */
  #watchAnswer({ bodyTimeout }: OutgoingRequest): void {
    if (this.#isTimed || bodyTimeout === 0 || !this.#reader.hasBegun) return;
    this.#isTimed = true;
    this.#socket.setTimeout(bodyTimeout);
  }

  #unwatchAnswer(): void {
    if (!this.#isTimed) return;
    this.#isTimed = false;
    this.#socket.setTimeout(0);
  }

  /** If the client is slow, nothing reads. After a delayed turn, the timeout fires before the bytes arrive. */
  readonly #idle = (): void => {
    const [sent, read] = [this.#sent, this.#socket.bytesRead];
    setImmediate(() => {
      const isSilent = this.#sent === sent && this.#socket.bytesRead === read;
      if (isSilent && !this.#reader.isPaused) this.#fail(new Silent('UND_ERR_BODY_TIMEOUT'));
    });
  };

  readonly #end = (): void => {
    try {
      if (this.#sent !== undefined) this.#reader.finish();
    } catch (error) {
      this.#fail(error as Error);
    }
    if (!this.#reader.isLast) this.#socket.destroy();
  };

  readonly #broken = (error: Error): void => {
    this.#error = error;
    if (!this.#reader.isLast) this.#fail(error);
  };

  readonly #closed = (): void => {
    if (!this.#reader.isLast) this.#fail(this.#error ?? new AnswerCut('the connection to the upstream was closed'));
    this.#keeper.gone(this);
  };

  #abort(sent: OutgoingRequest, reason: Error = new GivenUp('given up')): void {
    if (this.#sent !== sent) return;
    if (this.#reader.isAwaited || this.#upload !== undefined) {
      this.#fail(reason);
      return;
    }
    // Nothing was written, so the connection is still usable.
    this.#leave();
    sent.handler.onError(reason);
  }

  readonly #fail = (error: Error): void => {
    const sent = this.#sent;
    if (sent === undefined) {
      if (!this.#socket.destroyed) this.#socket.destroy();
      return;
    }
    this.#upload?.stop();
    this.#leave();
    this.#socket.destroy();
    if (sent.body instanceof Readable) sent.body.destroy();
    if (error instanceof ForeignAnswer) this.#keeper.misread(error);
    sent.handler.onError(error);
  };

  #leave(): void {
    clearTimeout(this.#timer);
    this.#upload = undefined;
    this.#sent = undefined;
  }
}

function lengthOf(body: OutgoingRequest['body']): number | undefined {
  return body instanceof Readable ? undefined : (body?.length ?? 0);
}
