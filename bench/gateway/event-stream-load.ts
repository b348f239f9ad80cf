// Reads event streams: `node event-stream-load.ts PORT TOKEN SECONDS`. It counts the events that arrive within the time,
// after each stream had one.
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measured } from '../wrk.ts';
import { STREAMS } from './event-stream-rate.ts';

const [port = '', token = '', seconds = ''] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}/es/events`;

/** Milliseconds from the upstream to here, of each event. */
const delays: number[] = [];

const streams = await Promise.all(Array.from({ length: STREAMS }, open));
delays.length = 0;
const began = performance.now();
await pause(Number(seconds) * 1000);
const elapsed = (performance.now() - began) / 1000;
const sorted = delays.toSorted((one, other) => one - other);
const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
const measured: Measured = {
  requests: sorted.length,
  perSecond: sorted.length / elapsed,
  p50: percentile(0.5),
  p99: percentile(0.99),
  p999: percentile(0.999),
};
process.stdout.write(JSON.stringify(measured));
for (const stream of streams) stream.destroy();

/** Resolves with its first event. */
function open(): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
  get(url, { agent: false, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`the stream answered ${response.statusCode}`));
    response.setEncoding('latin1').on('error', () => {});
    response.on('data', (text: string) => {
      for (const [, sent] of text.matchAll(/data: (\d+)/g)) delays.push(Date.now() - Number(sent));
      resolve(response);
    });
  }).on('error', reject);
  return promise;
}
