import type { Test } from 'tap';
import { type Group, workerOf } from '../support/group.ts';
import { open, type RawClient } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';

/** A kept connection to each of the workers. */
export async function oneEach(t: Test, { port }: Pick<Group, 'port'>, workers = 4): Promise<readonly RawClient[]> {
  const found = new Map<string, RawClient>();
  for (let tries = 0; found.size < workers && tries < 50; tries++) {
    const client = await open(t, port);
    client.send(requestText({ target: '/public/1' }));
    found.set(workerOf((await client.read())?.header('x-request-id')), client);
  }
  return [...found.values()];
}

/** Status, and the code of a refusal. */
export async function said(client: RawClient, token: string): Promise<string> {
  client.send(requestText({ target: '/orders/1', headers: [bearer(token)] }));
  const response = await client.read();
  if (response === undefined) return 'closed';
  return response.status === 200 ? '200' : `${response.status} ${JSON.parse(String(response.body)).code}`;
}

export const all = (clients: readonly RawClient[], token: string) =>
  Promise.all(clients.map((client) => said(client, token)));
export const every = (text: string) => new Array(4).fill(text);
