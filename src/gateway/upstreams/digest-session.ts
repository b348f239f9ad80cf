import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { UpstreamDigestConfig } from '../../config/schema/upstream-credentials.ts';
import type { Qop } from '../../http-auth/digest-algorithms.ts';
import { answerDigest, type DigestAnswer, type DigestSelf, digestSelf } from '../../http-auth/digest-answer.ts';
import { chooseOffer, type DigestOffer } from '../../http-auth/digest-offer.ts';

/** A request that needs a nonce from the upstream. */
export interface DigestRequest {
  readonly method: string;
  /** As sent. */
  readonly target: string;
  readonly qop: Qop | undefined;
  /** For auth-int. */
  readonly entity?: Uint8Array | undefined;
}

/** A challenge of the upstream, and the uses of its nonce. */
export interface UpstreamNonce {
  readonly offer: DigestOffer;
  /** A request was accepted with this nonce. If a later one is rejected, the nonce may have expired. */
  proved: boolean;
  readonly isUsedUp: boolean;
  /** Increments the count, so each answer is for one request. */
  answer(request: DigestRequest): DigestAnswer;
}

/** How often a nonce was used. */
interface Uses {
  count: number;
}

/** The number of nonces whose counts are kept, because the upstream may issue them again. */
const REMEMBERED = 1024;

/** `nc` has eight hexadecimal digits. */
const LAST_COUNT = 0xffffffff;

/** Milliseconds. If the upstream sent no challenge, a repeatable request does not ask again within this time. */
const QUIET = 10_000;

/**
 * Milliseconds for which a request waits for another request's question. A client chose that target, which may never
 * answer.
 */
const PATIENCE = 1_000;
const LATE = Symbol('no answer yet');

type Ask = () => Promise<readonly string[] | undefined>;

/** The gateway's Digest session with one upstream, for all requests (RFC 7616 §3.3, §3.4). */
export class DigestSession {
  readonly config: UpstreamDigestConfig;
  readonly #random: (bytes: number) => Buffer;
  readonly #uses = new Map<string, Uses>();
  #current: UpstreamNonce | undefined;
  #learning: Promise<readonly string[] | undefined> | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(config: UpstreamDigestConfig, random: (bytes: number) => Buffer = randomBytes) {
    this.config = config;
    this.#random = random;
  }

  /** The nonce that requests share. Undefined: the gateway must learn a challenge first. */
  get current(): UpstreamNonce | undefined {
    return this.#current?.isUsedUp === true ? undefined : this.#current;
  }

  /** Reads `WWW-Authenticate` lines. Undefined: none has a challenge that the configuration allows. */
  read(lines: readonly string[]): UpstreamNonce | undefined {
    const offer = chooseOffer(lines, this.config);
    return offer && this.#open(digestSelf(this.config, offer));
  }

  /** A request was accepted with this nonce. Requests share it from now on, unless they already share one. */
  prove(nonce: UpstreamNonce): void {
    nonce.proved = true;
    if (this.current === undefined) this.#current = nonce;
  }

  /** Shares the nonce before any request was accepted with it. */
  adopt(nonce: UpstreamNonce): void {
    this.#current = nonce;
  }

  /** The upstream names the next nonce (RFC 7616 §3.5). */
  follow(nonce: UpstreamNonce, next: string): void {
    if (this.#current !== nonce) return;
    this.#current = this.#open(digestSelf(this.config, { ...nonce.offer, nonce: next }));
    this.#current.proved = true;
  }

  /** The upstream no longer accepts this nonce. */
  drop(nonce: UpstreamNonce): void {
    if (this.#current === nonce) this.#current = undefined;
  }

  /** Whether the upstream recently sent no challenge. `now`: monotonic. */
  isQuiet(now: number): boolean {
    return now < this.#quietUntil;
  }

  /**
   * One question for all waiting requests. Returns the lines of the challenge. Undefined: the upstream requires no
   * credentials.
   */
  learn(ask: Ask, now: () => number): ReturnType<Ask> {
    return this.#learning === undefined ? this.#question(ask, now) : this.#join(this.#learning, ask, now);
  }

  async #join(before: ReturnType<Ask>, ask: Ask, now: () => number): ReturnType<Ask> {
    const lines = await Promise.race([before, pause(PATIENCE, LATE, { ref: false })]);
    if (lines !== LATE) return lines;
    // While this caller waited, another caller may have received an answer.
    if (this.current !== undefined || this.isQuiet(now())) return undefined;
    return before === this.#learning ? this.#question(ask, now) : this.learn(ask, now);
  }

  #question(ask: Ask, now: () => number): ReturnType<Ask> {
    const question = ask()
      .then((lines) => {
        this.#learned(lines, now());
        return lines;
      })
      .finally(() => {
        if (this.#learning === question) this.#learning = undefined;
      });
    this.#learning = question;
    return question;
  }

  #learned(lines: readonly string[] | undefined, now: number): void {
    if (lines === undefined) this.#quietUntil = now + QUIET;
    else this.#current = this.read(lines);
  }

  #open(self: DigestSelf): UpstreamNonce {
    const uses = this.#usesOf(self.offer.nonce);
    const fixed = this.#fixedCnonce(self.offer);
    return {
      offer: self.offer,
      proved: false,
      get isUsedUp() {
        return uses.count >= LAST_COUNT;
      },
      answer: ({ method, target, qop, entity }) => {
        uses.count++;
        const cnonce = fixed ?? this.#cnonce();
        return answerDigest(self, { method, uri: target, count: uses.count, cnonce, qop, entity });
      },
    };
  }

  /** RFC 7616 §3.4.2: a session keeps the cnonce with which it began. */
  #fixedCnonce({ algorithm }: DigestOffer): string | undefined {
    return this.config.cnonce === 'nonce' || algorithm.endsWith('-sess') ? this.#cnonce() : undefined;
  }

  #cnonce(): string {
    return this.#random(12).toString('base64url');
  }

  #usesOf(nonce: string): Uses {
    const uses = this.#uses.get(nonce) ?? { count: 0 };
    this.#uses.delete(nonce);
    this.#uses.set(nonce, uses);
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= REMEMBERED) break;
      this.#uses.delete(oldest);
    }
    return uses;
  }
}
