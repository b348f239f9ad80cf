import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { connectTo, type RawClient } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';

/** What the clients of a soak test share. */
export interface Crowd {
  readonly port: number;
  readonly dice: Random;
  /** A token that is accepted, and stays valid. */
  token(): string;
  /** A token that is accepted, and the function that revokes it. */
  newToken(): Promise<{ readonly token: string; readonly revoke: () => Promise<void> }>;
  /** Records a wrong answer. */
  wrong(what: string): void;
}

type Action = (crowd: Crowd, client: RawClient) => Promise<void>;

/** Milliseconds until a revoked token must be refused. */
const REVOKED = 1_000;

function ordered({ token }: Crowd, more: Partial<RequestText> = {}): RequestText {
  return { target: '/orders/1', ...more, headers: [bearer(token()), ...(more.headers ?? [])] };
}

async function expect(crowd: Crowd, client: RawClient, status: number, what: string): Promise<void> {
  const answer = await client.read();
  if (answer?.status !== status) crowd.wrong(`${what}: ${answer?.status} ${answer?.body.toString().slice(0, 200)}`);
}

async function inPieces(client: RawClient, bytes: Buffer, dice: Random): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + dice.below(bytes.length);
    client.send(bytes.subarray(at, end));
    at = end;
    await pause(dice.below(2));
  }
}

const repeats: Action = async (crowd, client) => {
  const request = requestText(ordered(crowd));
  for (let i = 0; i < 5; i++) {
    client.send(request);
    await expect(crowd, client, 200, 'the same fields');
  }
};

const varies: Action = async (crowd, client) => {
  const more = {
    target: `/orders/${crowd.dice.below(1e6)}`,
    headers: [['X-Count', String(crowd.dice.below(1e9))]] as const,
  };
  client.send(requestText(ordered(crowd, more)));
  await expect(crowd, client, 200, 'other fields');
};

const pipelines: Action = async (crowd, client) => {
  const request = requestText(ordered(crowd));
  await inPieces(client, Buffer.concat(Array.from({ length: 8 }, () => request)), crowd.dice);
  for (let i = 0; i < 8; i++) await expect(crowd, client, 200, 'a pipeline');
};

const uploads: Action = async (crowd, client) => {
  const size = crowd.dice.pick([1, 1_000, 60_000, 200_000]);
  const { dice } = crowd;
  await inPieces(client, requestText(ordered(crowd, { method: 'POST', body: 'y'.repeat(size) })), dice);
  await expect(crowd, client, 200, 'an upload');
};

const uploadsInChunks: Action = async (crowd, client) => {
  const headers = [['Transfer-Encoding', 'chunked']] as const;
  client.send(requestText(ordered(crowd, { method: 'POST', headers })));
  client.send(`3e8\r\n${'y'.repeat(1000)}\r\n`.repeat(crowd.dice.below(40)));
  client.send('0\r\n\r\n');
  await expect(crowd, client, 200, 'an upload in chunks');
};

const strangers: Action = async (crowd, client) => {
  client.send(requestText({ target: '/orders/1', headers: [['Authorization', `Bearer no-${crowd.dice.below(1e9)}`]] }));
  await expect(crowd, client, 401, 'an unknown token');
  client.send(requestText({ target: '/nowhere' }));
  await expect(crowd, client, 404, 'no route');
};

const revokes: Action = async (crowd, client) => {
  const { token, revoke } = await crowd.newToken();
  const request = requestText({ target: '/orders/1', headers: [bearer(token)] });
  client.send(request);
  await expect(crowd, client, 200, 'a new token');
  await revoke();
  await pause(REVOKED);
  client.send(request);
  await expect(crowd, client, 401, 'a revoked token');
};

/** These end their connection. */
const leaves: Action = async (crowd, client) => {
  const { dice } = crowd;
  const target = dice.pick(['/orders/silent', '/orders/endless', '/orders/1']);
  const method = dice.pick(['GET', 'POST'] as const);
  const bytes = requestText(ordered(crowd, { target, method, body: method === 'POST' ? 'y'.repeat(5000) : '' }));
  client.send(dice.chance(0.5) ? bytes : bytes.subarray(0, dice.below(bytes.length)));
  await pause(dice.below(8));
  if (dice.chance(0.5)) client.socket.resetAndDestroy();
  else client.destroy();
};

const breaks: Action = async (crowd, client) => {
  client.send(
    crowd.dice.pick([
      'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
      '\x16\x03\x01\x02\x00',
      'PROXY TCP4 1 2 3 4\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]),
  );
  await client.untilClosed();
};

/** By weight. */
export const actions: readonly (readonly [weight: number, action: Action])[] = [
  [30, repeats],
  [20, varies],
  [10, pipelines],
  [10, uploads],
  [5, uploadsInChunks],
  [5, strangers],
  [2, revokes],
  [10, leaves],
  [3, breaks],
];

const total = actions.reduce((sum, [weight]) => sum + weight, 0);

export function anyAction(dice: Random): Action {
  let left = dice.below(total);
  for (const [weight, action] of actions) {
    left -= weight;
    if (left < 0) return action;
  }
  return repeats;
}

/** One client until the end: a connection for some actions, and then another one. Counts its actions. */
export async function lives(crowd: Crowd, until: () => boolean): Promise<number> {
  let count = 0;
  while (!until()) {
    const client = await connectTo(crowd.port);
    for (let i = crowd.dice.below(60); i >= 0 && !client.closed && !client.socket.destroyed && !until(); i--) {
      await anyAction(crowd.dice)(crowd, client);
      count++;
    }
    client.destroy();
  }
  return count;
}
