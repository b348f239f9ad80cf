import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { tlsFile } from '../../../support/tls-file.ts';

export interface ToSend {
  readonly method?: string | undefined;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The authority of all certificates here. */
const ca = readFileSync(tlsFile('authority.crt'));

/** One request and its whole answer. It follows no redirect. */
export function exchange(url: URL, { method = 'GET', headers = {}, body }: ToSend = {}): Promise<Answer> {
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers, ca }, (incoming) => {
      const { statusCode: status = 0, headers } = incoming;
      text(incoming).then((body) => resolve({ status, headers, body }), reject);
    });
    outgoing.once('error', reject).end(body);
  });
}

/** The answer's JSON object; undefined if it is none. */
export function jsonOf({ body }: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** As a report shows it. */
export function shown({ status, headers, body }: Answer): string {
  const { location, 'content-type': type } = headers;
  return `${status} ${type ?? ''} ${location ?? ''} ${body.slice(0, 300)}`.replace(/\s+/g, ' ').trim();
}
