import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { UpstreamDigestConfig } from '../../config/schema/upstream-credentials.ts';
import type { Qop } from '../../http-auth/digest-algorithms.ts';
import { answerDigest, type DigestAnswer, type DigestSelf, digestSelf } from '../../http-auth/digest-answer.ts';
import { chooseOffer, type DigestOffer } from '../../http-auth/digest-offer.ts';

/** A request that needs a nonce of the upstream. */
export interface DigestRequest {
  readonly method: string;
  /** As sent. */
  readonly target: string;
  readonly qop: Qop | undefined;
  /** For auth-int. */
  readonly entity?: Uint8Array | undefined;
}

/** A challenge of the upstream, and the use that is made of its nonce. */
export interface UpstreamNonce {
  readonly offer: DigestOffer;
  /** A request passed with it: if the next is refused, it may have ended. */
  proved: boolean;
  readonly isUsedUp: boolean;
  /** Counts; each answer is for one request. */
  answer(request: DigestRequest): DigestAnswer;
}

/** How often a nonce was used. */
interface Uses {
  count: number;
}

/** Nonces whose counts are kept for the case that the upstream gives them out again. */
const REMEMBERED = 1024;

/** `nc` has eight hexadecimal digits. */
const LAST_COUNT = 0xffffffff;

/** Milliseconds in which an upstream that asked for nothing is not asked again before a request that can be repeated. */
const QUIET = 10_000;

/** Milliseconds for which one waits for another's question: about a target that a client chose, which may never answer. */
const PATIENCE = 1_000;
const LATE = Symbol('no answer yet');

type Ask = () => Promise<readonly string[] | undefined>;

/** Who the gateway is to one upstream that wants Digest, for all requests to it (RFC 7616 §3.3, §3.4). */
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

  /** The session that requests share. Undefined: a challenge must be learned first. */
  get current(): UpstreamNonce | undefined {
    return this.#current?.isUsedUp === true ? undefined : this.#current;
  }

  /** Reads `WWW-Authenticate` lines. Undefined: there is no challenge among them that the configuration lets us answer. */
  read(lines: readonly string[]): UpstreamNonce | undefined {
    const offer = chooseOffer(lines, this.config);
    return offer && this.#open(digestSelf(this.config, offer));
  }

  /** It served: shared from now on, unless there is one. */
  prove(nonce: UpstreamNonce): void {
    nonce.proved = true;
    if (this.current === undefined) this.#current = nonce;
  }

  /** Shared before it has served. */
  adopt(nonce: UpstreamNonce): void {
    this.#current = nonce;
  }

  /** The upstream names the nonce that comes after this one (RFC 7616 §3.5). */
  follow(nonce: UpstreamNonce, next: string): void {
    if (this.#current !== nonce) return;
    this.#current = this.#open(digestSelf(this.config, { ...nonce.offer, nonce: next }));
    this.#current.proved = true;
  }

  /** The upstream takes it no longer. */
  drop(nonce: UpstreamNonce): void {
    if (this.#current === nonce) this.#current = undefined;
  }

  /** Whether the upstream asked for nothing a moment ago. `now`: monotonic. */
  isQuiet(now: number): boolean {
    return now < this.#quietUntil;
  }

  /** One question for all who wait. The lines of the challenge; undefined: the upstream asks for no credentials. */
  learn(ask: Ask, now: () => number): ReturnType<Ask> {
    return this.#learning === undefined ? this.#question(ask, now) : this.#join(this.#learning, ask, now);
  }

  async #join(before: ReturnType<Ask>, ask: Ask, now: () => number): ReturnType<Ask> {
    const lines = await Promise.race([before, pause(PATIENCE, LATE, { ref: false })]);
    if (lines !== LATE) return lines;
    // A caller that waited a little longer may have received an answer meanwhile.
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

  /** RFC 7616 §3.4.2: a session is bound to the cnonce with which it began. */
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
