import { connectTo, type RawClient } from './raw-client.ts';
import type { RawResponse } from './raw-response.ts';

export interface Load<Item> {
  readonly port: number;
  readonly items: Iterable<Item>;
  readonly bytes: (item: Item) => Buffer | string;
  readonly method?: (item: Item) => string;
  /** Undefined: the connection closed without an answer. */
  readonly onAnswer: (item: Item, response: RawResponse | undefined) => void;
  readonly connections?: number;
  /** Whether the connection must not be used again after this answer, whatever the answer says. */
  readonly isLast?: (item: Item) => boolean;
}

/** Sends many requests over a few connections, one after the other on each. Opens a new connection after one closes. */
export async function sendAll<Item>({
  port,
  items,
  bytes,
  method = () => 'GET',
  onAnswer,
  connections = 8,
  isLast = () => false,
}: Load<Item>): Promise<void> {
  const queue = items[Symbol.iterator]();
  const work = async () => {
    let client: RawClient | undefined;
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const item = next.value;
      if (client === undefined || client.closed) client = await reconnect(port, client);
      client.send(bytes(item));
      const response = await client.read({ method: method(item), deadline: 20_000 });
      if (response === undefined || isLast(item) || endsConnection(response)) client = await reconnect(port, client);
      onAnswer(item, response);
    }
    client?.destroy();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

function endsConnection(response: RawResponse): boolean {
  return response.endsWithConnection || response.all('connection').some((value) => value.toLowerCase() === 'close');
}

async function reconnect(port: number, before: RawClient | undefined): Promise<RawClient> {
  before?.destroy();
  return connectTo(port);
}
