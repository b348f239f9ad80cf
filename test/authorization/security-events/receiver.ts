import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { SentEventName } from '../../../src/storage/records/records.ts';

export interface Pushed {
  readonly token: string;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A server that hears security events, on loopback. */
export interface EventServer {
  readonly url: string;
  /** In the order of their arrival. */
  readonly pushed: Pushed[];
  /** The next answers; then 202. */
  readonly answers: (readonly [status: number, body?: string])[];
}

export async function eventServer(t: Test, answers: EventServer['answers'] = []): Promise<EventServer> {
  const heard = { url: '', pushed: [] as Pushed[], answers };
  const server = createServer((request, response) => {
    let token = '';
    request.setEncoding('utf8').on('data', (piece) => {
      token += piece;
    });
    request.on('end', () => {
      const [status, body = ''] = heard.answers.shift() ?? [202];
      heard.pushed.push({ token, method: request.method, headers: request.headers });
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  heard.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return heard;
}

export interface SecurityEventClaims {
  readonly jti: string;
  readonly aud: string;
  readonly sub_id: { readonly user: { readonly sub: string }; readonly session?: { readonly id: string } };
  readonly events: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export function claimsOf(token: string): SecurityEventClaims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The last part of the URI of the event, and the user. */
export function shortly({ token }: Pushed): string {
  const { events, sub_id } = claimsOf(token);
  return `${Object.keys(events)[0]?.split('/').at(-1)} ${sub_id.user.sub}`;
}

const every: SentEventName[] = ['session-revoked', 'credential-change', 'token-claims-change'];

/** The block of the file. */
export function receiving(server: Pick<EventServer, 'url'>, changes: object = {}) {
  const receiver = { id: 'crm', url: server.url, audience: 'https://crm.example.com', events: every };
  return { security_events: { receivers: [{ ...receiver, ...changes }] } };
}
