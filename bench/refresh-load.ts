// The load of refreshes: every connection exchanges one refresh token for the next, for so many seconds.
import { readFileSync } from 'node:fs';
import { Client } from 'undici';
import { basic, forms } from './grants.ts';

interface Task {
  readonly url: string;
  readonly seconds: number;
  /** One a connection. */
  readonly tokens: readonly string[];
}

const { url, seconds, tokens } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Task;
const { origin, pathname } = new URL(url);
const headers = { authorization: basic('web'), 'content-type': 'application/x-www-form-urlencoded' };

const began = performance.now();
const end = began + seconds * 1000;
const times = (await Promise.all(tokens.map(chain))).flat().sort((one, other) => one - other);
const elapsed = (performance.now() - began) / 1000;
const percentile = (share: number) => times[Math.floor(times.length * share)];
const measured = {
  requests: times.length,
  perSecond: times.length / elapsed,
  p50: percentile(0.5),
  p99: percentile(0.99),
};
process.stdout.write(JSON.stringify(measured));

async function chain(first: string): Promise<number[]> {
  const client = new Client(origin);
  const own: number[] = [];
  for (let token = first; performance.now() < end; ) {
    const sent = performance.now();
    token = await refresh(client, token);
    own.push(performance.now() - sent);
  }
  await client.close();
  return own;
}

async function refresh(client: Client, token: string): Promise<string> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: pathname,
    headers,
    body: forms.refresh(token),
  });
  const text = await body.text();
  const next = statusCode === 200 ? (JSON.parse(text) as { refresh_token?: string }).refresh_token : undefined;
  if (next === undefined || next === token) throw new Error(`${url}: no new refresh token: ${statusCode} ${text}`);
  return next;
}
