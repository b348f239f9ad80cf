import { printableValue } from '../../base/printable.ts';
import { sameBytes, sha256 } from '../../base/secret.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import type { GatewayLog } from '../message/fault-log.ts';
import type { Receipt, ReceivedKind, TokenReceiver } from './token-receiver.ts';

/** One authorization server as the receiver sees it, by the active file. */
export interface ReportingServer {
  readonly config: AuthorizationServerConfig;
  readonly receiver: TokenReceiver;
  /** Where relative filenames start. */
  readonly directory: string;
}

/** Why the receiver did nothing with a request. */
export type ReceiverRefusal = 'unknown_server' | 'not_authenticated' | 'busy';

type Result = Receipt['kind'] | ReceiverRefusal;

/**
 * Tokens of one kind that a server may have in checks at a time. More would only wait for each other. Each server has
 * its own places, so that slow keys of one, or a flood in its name, keep no report of another waiting.
 */
const MOST_AT_ONCE = 256;
/** Milliseconds between two lines of the log with the same reason. */
const TELL_EVERY = 60_000;
/** Characters. */
const LONGEST_PATH = 100;

/** Receives what authorization servers report, and counts it. */
export class Receiving {
  readonly #senders: (name: string) => ReportingServer | undefined;
  readonly #log: GatewayLog;
  readonly #counts = new Map<string, number>();
  /** Reason → when the log last had it. */
  readonly #told = new Map<string, number>();
  /** Name of the server and kind → tokens in checks. */
  readonly #running = new Map<string, number>();

  /** `senders`: by the name of the server in the file. */
  constructor(senders: (name: string) => ReportingServer | undefined, log: GatewayLog) {
    this.#senders = senders;
    this.#log = log;
  }

  /** The number of requests by server, kind and result. A name that the file does not have is counted without it. */
  *counts(): Iterable<readonly [labels: { server: string; token: string; result: string }, count: number]> {
    for (const [key, count] of this.#counts) {
      const [server = '', token = '', result = ''] = key.split('\n');
      yield [{ server, token, result }, count];
    }
  }

  /** Whether this server may send this kind, before the body is read. Undefined: it may. */
  refuse(name: string, kind: ReceivedKind, authorization: string | undefined): ReceiverRefusal | undefined {
    const refusal = this.#refusal(name, kind, authorization);
    if (refusal !== undefined) this.#refused(name, kind, refusal);
    return refusal;
  }

  #refused(name: string, kind: ReceivedKind, refusal: ReceiverRefusal): void {
    this.#count(refusal === 'unknown_server' ? '' : name, kind, refusal);
    this.#tell({ ...(refusal !== 'unknown_server' && { server: name }), report: kind }, refusal);
  }

  /** A request for a path that no server has. A server with a wrong address reports nothing itself. */
  lost(path: string): void {
    this.#tell({ path: printableValue(path.slice(0, LONGEST_PATH)) }, 'unknown_path');
  }

  /** Strangers can cause these refusals, so each reason has one line a minute. */
  #tell(fields: object, reason: ReceiverRefusal | 'unknown_path'): void {
    const now = performance.now();
    if (now < (this.#told.get(reason) ?? Number.NEGATIVE_INFINITY) + TELL_EVERY) return;
    this.#told.set(reason, now);
    this.#log.warn({ ...fields, reason }, 'receiver: refused');
  }

  async receive(name: string, kind: ReceivedKind, token: string): Promise<Receipt> {
    const sender = this.#senders(name);
    if (sender === undefined) return { kind: 'out', detail: 'the active file no longer lets this server send reports' };
    // While the bodies were on their way, other tokens may have taken the places.
    if (this.#isBusy(name, kind)) {
      this.#refused(name, kind, 'busy');
      return { kind: 'out', detail: 'too many tokens at a time' };
    }
    const receipt = await this.#check(sender.receiver, [name, kind], token);
    this.#note(name, kind, receipt);
    return receipt;
  }

  async #check(receiver: TokenReceiver, [name, kind]: [string, ReceivedKind], token: string): Promise<Receipt> {
    const place = [name, kind].join('\n');
    add(this.#running, place, 1);
    try {
      return await receiver.receive(kind, token);
    } finally {
      add(this.#running, place, -1);
    }
  }

  #refusal(name: string, kind: ReceivedKind, authorization: string | undefined): ReceiverRefusal | undefined {
    const sender = this.#senders(name);
    if (sender === undefined || !sends(sender.config, kind)) return 'unknown_server';
    const expected = kind === 'event' ? sender.config.security_events?.push?.authorization : undefined;
    if (expected !== undefined && !isSame(authorization, expected)) return 'not_authenticated';
    return this.#isBusy(name, kind) ? 'busy' : undefined;
  }

  #isBusy(name: string, kind: ReceivedKind): boolean {
    return (this.#running.get([name, kind].join('\n')) ?? 0) >= MOST_AT_ONCE;
  }

  /** A rejected token may be an attack, or a mistake in the file. So the log has the reason. */
  #note(server: string, report: ReceivedKind, receipt: Receipt): void {
    this.#count(server, report, receipt.kind);
    const about = { server, report };
    if (receipt.kind === 'accepted') this.#log.info({ ...about, ends: receipt.ends }, 'receiver: accepted');
    if (receipt.kind === 'rejected')
      this.#log.info({ ...about, code: receipt.code, reason: reasonOf(receipt) }, 'receiver: rejected');
    if (receipt.kind === 'out') this.#log.warn({ ...about, reason: receipt.detail }, 'receiver: failed');
  }

  #count(server: string, kind: ReceivedKind, result: Result): void {
    add(this.#counts, [server, kind, result].join('\n'), 1);
  }
}

/** `found` is not verified, so only the log has it. */
function reasonOf({ description, found }: Extract<Receipt, { kind: 'rejected' }>): string {
  return found === undefined ? description : `${description}: ${found}`;
}

function add(numbers: Map<string, number>, key: string, change: number): void {
  numbers.set(key, (numbers.get(key) ?? 0) + change);
}

function sends({ backchannel_logout, security_events }: AuthorizationServerConfig, kind: ReceivedKind): boolean {
  return kind === 'logout' ? backchannel_logout !== undefined : security_events?.push !== undefined;
}

/** By digests, so that the time of the comparison tells nothing about the secret. */
function isSame(sent: string | undefined, expected: string): boolean {
  return sent !== undefined && sameBytes(sha256(sent), sha256(expected));
}
