import { parseAuthenticationInfo } from '../../http-auth/authentication-info.ts';
import type { DigestAnswer } from '../../http-auth/digest-answer.ts';
import type { Exchange } from '../client/exchange.ts';
import { fieldLines } from '../client/field-lines.ts';
import type { Forward } from '../decide/outcome.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { DigestSession, UpstreamNonce } from '../upstreams/digest-session.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';
import type { UpstreamRefusal } from './abort-reasons.ts';
import { AnswerGuard, type AnswerVerdict } from './answer-guard.ts';
import { type DispatchedMessage, finite, hostFor } from './dispatch-options.ts';
import { HELD } from './held-body.ts';
import { askChallenge } from './learn-challenge.ts';
import { readingAnswer } from './mcp-answer.ts';
import { Relay } from './relay.ts';
import type { Preparing } from './upstream-attempt.ts';

/**
 * One request to an upstream that requires Digest. It learns a challenge if it knows none, and sends the request. If
 * the nonce has expired, it sends the request a second time, never a third.
 */
export class DigestAttempts implements Preparing {
  readonly #exchange: Exchange;
  readonly #plan: Forward;
  #origin: UpstreamUrl;
  readonly #sent: DispatchedMessage;
  readonly #relay: Relay;
  #nonce: UpstreamNonce | undefined;
  #answer: DigestAnswer | undefined;
  #renewed = false;
  /** The URL that the request last prepared for. */
  #begunAt: UpstreamUrl | undefined;

  constructor(exchange: Exchange, plan: Forward, origin: UpstreamUrl, sent: DispatchedMessage) {
    this.#exchange = exchange;
    this.#plan = plan;
    this.#origin = origin;
    this.#sent = sent;
    this.#relay = new Relay(exchange, plan, origin, sent);
    // Handles a body that fails before undici has it.
    sent.upload?.on('error', nothing);
  }

  /** The relay's timeout starts here and covers every request to the upstream. */
  start(): void {
    const guard = new AnswerGuard(this.#relay, (status, raw) => this.#judge(status, raw));
    this.#relay.start(readingAnswer(guard, this.#relay, this.#plan, this.#exchange), this);
  }

  prepare(origin: UpstreamUrl): void {
    if (this.#begunAt === origin) this.#send();
    else this.#begin(origin);
  }

  /** A nonce is valid only at the URL that issued it, so each URL has its own session. */
  get #session(): DigestSession {
    return this.#origin.digest as DigestSession;
  }

  /** A request that cannot be repeated gets its own nonce. No other request can then overtake its count. */
  #begin(origin: UpstreamUrl): void {
    this.#begunAt = origin;
    this.#origin = origin;
    this.#renewed = false;
    const isShared = this.#isRepeatable;
    this.#nonce = isShared ? this.#session.current : undefined;
    const { clock } = this.#exchange.shared;
    if (this.#nonce !== undefined || (isShared && this.#session.isQuiet(clock.monotonic()))) {
      this.#send();
      return;
    }
    const asked = isShared ? this.#session.learn(this.#ask, () => clock.monotonic()) : this.#ask();
    asked.then((lines) => this.#learned(lines)).catch((error: Error) => this.#relay.onError(error));
  }

  get #isRepeatable(): boolean {
    const { body } = this.#sent;
    return body === null || (body instanceof Buffer && body.length <= HELD);
  }

  /** This request carries only the request id, and nothing else from the client. */
  readonly #ask = (): Promise<readonly string[] | undefined> => {
    const { shared, requestId } = this.#exchange;
    const { route, target } = this.#plan;
    const headers = ['host', hostFor(this.#exchange, this.#origin), shared.requestIdHeaderLower, requestId];
    return askChallenge(this.#origin, { target, headers, timeout: finite(route.limits.response) });
  };

  #learned(lines: readonly string[] | undefined): void {
    this.#nonce = this.#isRepeatable || lines === undefined ? this.#session.current : this.#session.read(lines);
    if (lines !== undefined && this.#nonce === undefined) this.#relay.refuse(this.#unanswerable(lines));
    else this.#send();
  }

  #send(): void {
    const { upload } = this.#sent;
    const failure = upload === undefined ? null : upload.errored;
    if (failure !== null) {
      this.#relay.onError(failure);
      return;
    }
    if (!this.#answerChallenge()) {
      this.#relay.refuse(TOO_LONG_TO_HASH);
      return;
    }
    this.#exchange.attempts++;
    if (upload !== undefined) this.#exchange.inviteBody();
    this.#relay.dispatch(this.#answer?.authorization);
  }

  /** False: the upstream requires a hash of the body, and the body was not read. */
  #answerChallenge(): boolean {
    const { body, upload } = this.#sent;
    this.#answer = undefined;
    if (this.#nonce === undefined) return true;
    const offered = this.#nonce.offer.qop;
    const qop = upload !== undefined ? offered.find((each) => each !== 'auth-int') : offered[0];
    if (qop === undefined && offered.length > 0) return false;
    const { method } = this.#exchange.head;
    const entity = body instanceof Buffer ? body : undefined;
    this.#answer = this.#nonce.answer({ method, target: this.#plan.target, qop, entity });
    return true;
  }

  #judge(status: number, raw: RawFields): AnswerVerdict {
    return status === 401 ? this.#challenged(fieldLines(raw, 'www-authenticate')) : this.#served(raw);
  }

  #challenged(lines: readonly string[]): AnswerVerdict {
    const used = this.#nonce;
    const next = this.#session.read(lines);
    if (used !== undefined) this.#session.drop(used);
    if (next === undefined) return this.#unanswerable(lines);
    if (!mayHaveEnded(used, next) || (this.#renewed && !next.offer.stale)) return this.#refusal();
    if (this.#renewed) return stale('the upstream rejects its new nonce as stale');
    if (!this.#isRepeatable) {
      this.#session.adopt(next);
      return stale('the gateway cannot send the body a second time');
    }
    this.#renewed = true;
    this.#nonce = next;
    return 'again';
  }

  #served(raw: RawFields): AnswerVerdict {
    const nonce = this.#nonce;
    if (nonce === undefined || this.#answer === undefined) return undefined;
    this.#session.prove(nonce);
    const [line] = fieldLines(raw, 'authentication-info');
    const info = line === undefined ? undefined : parseAuthenticationInfo(line);
    if (info?.rspauth !== undefined && info.rspauth !== (this.#answer.rspauth() ?? info.rspauth)) {
      this.#session.drop(nonce);
      return { code: 'upstream_unauthenticated', detail: `${this.#name}: wrong rspauth` };
    }
    if (info?.nextnonce !== undefined) this.#session.follow(nonce, info.nextnonce);
    return undefined;
  }

  #refusal(): UpstreamRefusal {
    const { realm, algorithm } = this.#nonce?.offer ?? {};
    const under = `realm ${JSON.stringify(realm ?? '')}, ${algorithm ?? 'no algorithm'}`;
    return {
      code: 'upstream_credentials_refused',
      detail: `${this.#name} rejects the username or password (${under})`,
    };
  }

  #unanswerable(lines: readonly string[]): UpstreamRefusal {
    const { algorithms, qop } = this.#session.config;
    const wanted = `Digest with an algorithm of ${algorithms.join(', ')} and a qop of ${qop.join(', ')}`;
    const offered = lines.length === 0 ? 'nothing' : lines.map((line) => line.split(' ', 1)[0]).join(', ');
    return {
      code: 'upstream_credentials_refused',
      detail: `${this.#name} offers no ${wanted}; it offers ${offered}`,
    };
  }

  get #name(): string {
    return `upstreams.${this.#plan.route.upstream.name}`;
  }
}

/**
 * Whether a 401 may be about the nonce. Without `stale`, it is about the username or password (RFC 7616 §3.3). There
 * are two exceptions: the same nonce was accepted before, or the challenge names another realm.
 */
function mayHaveEnded(used: UpstreamNonce | undefined, { offer }: UpstreamNonce): boolean {
  return used === undefined || offer.stale || used.proved || used.offer.realm !== offer.realm;
}

function stale(detail: string): UpstreamRefusal {
  return { code: 'upstream_nonce_stale', detail, retryAfter: 1 };
}

const TOO_LONG_TO_HASH: UpstreamRefusal = {
  code: 'upstream_protection_unmet',
  detail: 'auth-int needs a hash of the body, but the body is too long to hold',
};

function nothing(): void {}
