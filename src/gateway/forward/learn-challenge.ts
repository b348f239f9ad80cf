import type { Dispatcher } from 'undici';
import { fieldLines } from '../client/field-lines.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { UpstreamUrl } from '../upstreams/upstream-url.ts';

export interface ChallengeRequest {
  readonly target: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  /** Milliseconds; 0: no limit. */
  readonly timeout: number;
}

/**
 * Asks an upstream for its challenge: a HEAD of the target without body and credentials. HEAD changes nothing (RFC 9110
 * §9.2.1), and a protected target does not execute it. Returns the lines of `WWW-Authenticate`, or undefined if the
 * target is not protected. Rejects with the connection's error.
 */
export function askChallenge(
  { carrier, serverName }: UpstreamUrl,
  question: ChallengeRequest,
): Promise<readonly string[] | undefined> {
  const { target: path, headers, timeout: headersTimeout } = question;
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[] | undefined>();
  const handler = {
    onConnect: () => undefined,
    onHeaders: (status: number, raw: RawFields) => {
      if (status >= 200) resolve(status === 401 ? fieldLines(raw, 'www-authenticate') : undefined);
      return true;
    },
    onData: () => true,
    onComplete: () => undefined,
    onError: reject,
  };
  const timeouts = { headersTimeout, bodyTimeout: headersTimeout };
  const options = { path, method: 'HEAD' as const, headers, servername: serverName, ...timeouts };
  // undici types the buffers of the raw handler as strings.
  carrier.engine.dispatch(options, handler as unknown as Dispatcher.DispatchHandler);
  return promise;
}
