import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Test } from 'tap';
import {
  type DigestCredentials,
  digestChallenge,
  formatAuthenticationInfo,
  parseDigest,
} from '../../src/http-auth/digest.ts';
import { type DigestAlgorithmName, digestAlgorithmNamed, type Qop } from '../../src/http-auth/digest-algorithms.ts';
import { digestResponse, storedHash, userHash } from '../../src/http-auth/digest-response.ts';
import { serving } from './serving.ts';

export const account = { username: 'legacy', password: 'Circle of Life' } as const;

/** How an API behaves that has always required Digest. */
export interface DigestApi {
  readonly realm?: string;
  /** One challenge for each, in this order. */
  readonly algorithms?: readonly DigestAlgorithmName[];
  /** Empty: RFC 2069. */
  readonly qop?: readonly Qop[];
  readonly userhash?: boolean;
  /** The count of a nonce must grow; otherwise it only must be new. */
  readonly strict?: boolean;
  /** How many requests a nonce serves. */
  readonly uses?: number;
  readonly nextnonce?: boolean;
  /** Correct by default; none: the header is left out. */
  readonly rspauth?: string | 'none';
  /** Answers 401 after the head of a request, without waiting for its body. */
  readonly eager?: boolean;
  /** The length of the body of a 401. */
  readonly refusalBytes?: number;
  /** Whether a nonce is refused whatever its age, by request. */
  readonly refuses?: (request: IncomingMessage) => 'stale' | 'wrong' | undefined;
  /** Called before the answer to a request without credentials. */
  readonly slow?: (ready: () => void) => void;
  /** Called before credentials are refused. */
  readonly slowRefusal?: (ready: () => void) => void;
  /** Methods that pass without credentials. */
  readonly open?: readonly string[];
  readonly passed?: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly credentials: DigestCredentials | undefined;
  readonly headers: IncomingMessage['headers'];
  status: number;
  isStale: boolean;
  body: Buffer;
}

export interface DigestUpstream {
  readonly url: string;
  readonly received: Received[];
  /** Nonce and count of every request that passed. */
  readonly passed: readonly string[];
  /** Requests without a body and without credentials. */
  readonly questions: () => number;
  /** All nonces issued so far become invalid. */
  expire(): void;
}

interface Given {
  readonly counts: Set<number>;
  ended: boolean;
}

/** An API with a Digest verifier, built from the same rooms as the gateway's own verifier. */
export async function digestUpstream(t: Test, api: DigestApi = {}): Promise<DigestUpstream> {
  const { realm = 'legacy', algorithms = ['SHA-256'], qop = ['auth'], userhash = false } = api;
  const given = new Map<string, Given>();
  const received: Received[] = [];
  const passed: string[] = [];

  const issue = () => {
    const nonce = randomBytes(12).toString('base64');
    given.set(nonce, { counts: new Set(), ended: false });
    return nonce;
  };

  const judge = (request: IncomingMessage, said: DigestCredentials, entity: Buffer): 'right' | 'stale' | 'wrong' => {
    const refusal = api.refuses?.(request);
    if (refusal !== undefined) return refusal;
    const algorithm = digestAlgorithmNamed(said.algorithm) ?? 'MD5';
    const { username, password } = account;
    const name = said.userhash ? userHash(algorithm, username, realm) : username;
    const nonce = given.get(said.nonce);
    const ha1 = storedHash(algorithm, username, realm, password);
    const { uri, cnonce, protection } = said;
    const input = { algorithm, ha1, nonce: said.nonce, cnonce, protection, uri, method: request.method ?? '', entity };
    const isOffered = algorithms.includes(algorithm) && (protection ? qop.includes(protection.qop) : qop.length === 0);
    const isRight = said.username === name && said.realm === realm && uri === request.url && isOffered;
    if (!isRight || nonce === undefined || digestResponse(input) !== said.response) return 'wrong';
    const count = protection === undefined ? nonce.counts.size + 1 : Number.parseInt(protection.nc, 16);
    const isLate = api.strict === true ? count <= Math.max(0, ...nonce.counts) : nonce.counts.has(count);
    if (nonce.ended || isLate || nonce.counts.size >= (api.uses ?? Number.POSITIVE_INFINITY)) return 'stale';
    nonce.counts.add(count);
    passed.push(`${said.nonce} ${count}`);
    return 'right';
  };

  const challenges = (stale: boolean) => {
    const nonce = issue();
    return algorithms.map((algorithm) => {
      const line = digestChallenge({ realm, nonce, opaque: 'o', algorithm, qop, userhash, stale, domain: undefined });
      return qop.length === 0 ? line.replace('algorithm=MD5, ', '').replace(', charset=UTF-8', '') : line;
    });
  };

  const info = (said: DigestCredentials): Record<string, string> => {
    const { protection, cnonce, nonce, uri } = said;
    if (protection === undefined || cnonce === undefined) return {};
    const algorithm = digestAlgorithmNamed(said.algorithm) ?? 'MD5';
    const ha1 = storedHash(algorithm, account.username, realm, account.password);
    const right = digestResponse({ algorithm, ha1, nonce, cnonce, protection, method: '', uri });
    const rspauth = api.rspauth === 'none' ? undefined : (api.rspauth ?? right);
    const nextnonce = api.nextnonce === true ? issue() : undefined;
    return { 'authentication-info': formatAuthenticationInfo({ rspauth, cnonce, protection, nextnonce }) };
  };

  /** Undefined: the request is refused, with these fields in the 401. */
  const admit = (request: IncomingMessage, record: Received, entity: Buffer): Record<string, string> | undefined => {
    if (api.open?.includes(request.method ?? '')) return {};
    const { credentials: said } = record;
    const verdict = said === undefined ? 'none' : judge(request, said, entity);
    if (said !== undefined && verdict === 'right') return info(said);
    record.status = 401;
    record.isStale = verdict === 'stale';
    return undefined;
  };

  const refuse = (response: ServerResponse, isStale: boolean) => {
    response.writeHead(401, { 'www-authenticate': [...challenges(isStale), 'Basic realm="legacy"'] });
    response.end('x'.repeat(api.refusalBytes ?? 20));
  };

  const note = (request: IncomingMessage): Received => {
    const { method = '', url = '', headers } = request;
    const parsed = headers.authorization === undefined ? undefined : parseDigest(headers.authorization);
    const credentials = parsed?.kind === 'credentials' ? parsed.credentials : undefined;
    const { authorization } = headers;
    const record = {
      method,
      url,
      authorization,
      credentials,
      headers,
      status: 200,
      isStale: false,
      body: Buffer.alloc(0),
    };
    received.push(record);
    return record;
  };

  /** Whether the head alone is enough for a refusal. */
  const isRefusedEarly = (request: IncomingMessage, { credentials }: Received) => {
    if (api.eager !== true || api.open?.includes(request.method ?? '') === true) return false;
    return (
      credentials === undefined || given.get(credentials.nonce)?.ended === true || api.refuses?.(request) === 'stale'
    );
  };

  const late = ({ authorization }: Received, answer: () => void) => {
    const wait = authorization === undefined ? api.slow : api.slowRefusal;
    return wait === undefined ? answer() : wait(answer);
  };

  const server = createServer((request, response) => {
    const record = note(request);
    if (isRefusedEarly(request, record)) {
      record.status = 401;
      refuse(response, record.credentials !== undefined);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      record.body = Buffer.concat(chunks);
      const fields = admit(request, record, record.body);
      if (fields === undefined) return late(record, () => refuse(response, record.isStale));
      for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
      if (api.passed !== undefined) return api.passed(request, response, record.body);
      response.setHeader('content-type', 'text/plain');
      response.end(`${record.method} ${record.url} ${record.body.length}`);
    });
  });
  server.on('upgrade', (request, socket: Socket) => {
    const record = note(request);
    const fields = admit(request, record, Buffer.alloc(0));
    if (fields === undefined) {
      const lines = challenges(record.isStale).map((line) => `WWW-Authenticate: ${line}\r\n`);
      socket.end(`HTTP/1.1 401 Unauthorized\r\n${lines.join('')}Content-Length: 2\r\n\r\nno`);
      return;
    }
    const said = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${said.join('')}\r\n`,
    );
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  return {
    url: await serving(t, server),
    received,
    passed,
    questions: () => received.filter(({ authorization }) => authorization === undefined).length,
    expire: () => {
      for (const nonce of given.values()) nonce.ended = true;
    },
  };
}
