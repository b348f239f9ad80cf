import { Agent, request } from 'undici';
import { sha256 } from '../../base/secret.ts';
import type { GatewayLog } from '../message/fault-log.ts';
import { FETCH_DEADLINE, fetchFault } from '../server-client/fetch-json.ts';
import { connectOptions, NO_AUTHORITY, trustOf } from '../server-client/trust.ts';
import type { ReportingServer } from './receiving.ts';
import type { Receipt } from './token-receiver.ts';

/** Accepted tokens whose relay failed. Their senders may try again. */
const MOST_PENDING = 10_000;

export interface Logout {
  /** The name of the server in the file. */
  readonly name: string;
  readonly token: string;
  readonly receipt: Receipt;
}

/** Sends accepted logout tokens to the client's own address, because a server knows only one for each client. */
export class Relays {
  readonly #log: GatewayLog;
  readonly #pending = new Set<string>();

  constructor(log: GatewayLog) {
    this.#log = log;
  }

  /** `failed`: the client does not know yet, so the sender must try again. Never rejects. */
  async relay(
    sender: ReportingServer | undefined,
    { name, token, receipt }: Logout,
  ): Promise<'done' | 'failed' | 'not_needed'> {
    const url = sender?.config.backchannel_logout?.relay_to;
    const id = sha256(token).toString('base64url');
    const isNeeded = receipt.kind === 'accepted' || (receipt.kind === 'again' && this.#pending.has(id));
    if (sender === undefined || url === undefined || !isNeeded) return 'not_needed';
    const fault = await post(sender, url, token);
    if (fault === undefined) {
      this.#pending.delete(id);
      return 'done';
    }
    if (this.#pending.size < MOST_PENDING) this.#pending.add(id);
    this.#log.warn({ server: name, reason: fault }, 'receiver: the client was not told of a logout');
    return 'failed';
  }
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
