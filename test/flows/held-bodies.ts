import type { Test } from 'tap';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';
import { account } from '../support/digest-upstream.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const [NAME, REALM, PASSWORD] = ['alice', 'meters', 'wonderland'];

export async function scene(t: Test, more: object = {}): Promise<TestGateway> {
  const users = userFile(t, digestLines(NAME, REALM, PASSWORD));
  const digest = {
    realm: REALM,
    users,
    algorithms: ['SHA-256'],
    qop: ['auth', 'auth-int'],
    auth_int: { max_body: '1MiB' },
  };
  const routes = [
    { id: 'm', match: { path: '/m/{rest*}' }, auth: 'digest', digest, access: 'authenticated' },
    { id: 'form', match: { path: '/form' }, access: 'authenticated', bearer_methods_supported: ['body'] },
    { id: 'legacy', match: { path: '/legacy/{rest*}' }, access: 'public', upstream: 'legacy' },
  ];
  const url = await echoUpstream(t);
  const upstreams = { api: { url }, legacy: { url, credentials: { digest: account } } };
  return gateway(t, behind('', { upstreams, routes, admin: '127.0.0.1:0', ...more }));
}

export async function nonceOf({ url }: TestGateway): Promise<string> {
  const response = await fetch(`${url}/m/1`);
  await response.arrayBuffer();
  return /nonce="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

interface Said {
  readonly nonce: string;
  readonly realm?: string;
  readonly uri?: string;
  readonly count?: number;
}

/** Credentials of a POST to /m/1 with this body; without a body, credentials that are right except for the password. */
export function credentials({ nonce, realm = REALM, uri = '/m/1', count = 1 }: Said, body?: string): string {
  const protection = { qop: 'auth-int', nc: count.toString(16).padStart(8, '0') } as const;
  const said = { nonce, uri, cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const ha1 = storedHash('SHA-256', NAME, realm, PASSWORD);
  const entity = Buffer.from(body ?? 'another');
  const response = digestResponse({ ...said, ha1, method: 'POST', entity });
  return formatDigest({ ...said, username: NAME, userhash: false, realm, response, opaque: undefined });
}

export const head = (authorization: string, length: number) =>
  `POST /m/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n`;

export async function heldBy({ adminUrl }: TestGateway): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^gatehouse_held_body_bytes (\d+)$/m.exec(text)?.[1]);
}
