import { get } from 'node:http';
import type { Test } from 'tap';
import { until } from '../../support/until.ts';

export interface LiveRecords {
  /** The decisions so far, each with its members. */
  readonly decisions: readonly Record<string, unknown>[];
  readonly hello: readonly Record<string, unknown>[];
  readonly text: () => string;
  /** Whether this many decisions arrive. */
  has(count: number): Promise<boolean>;
  close(): void;
}

/** Reads `GET /api/decisions` as a browser does. */
export async function readLive(t: Test, admin: string | undefined, query = ''): Promise<LiveRecords> {
  const decisions: Record<string, unknown>[] = [];
  const hello: Record<string, unknown>[] = [];
  let text = '';
  let rest = '';
  const request = get(`${admin}/api/decisions${query}`, { agent: false, headers: { accept: 'text/event-stream' } });
  t.teardown(() => void request.destroy());
  request.on('error', () => {});
  request.on('response', (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const messages = (rest + chunk).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data === undefined) continue;
        if (message.startsWith('event: hello')) hello.push(JSON.parse(data));
        else decisions.push(...JSON.parse(data).decisions);
      }
    });
  });
  t.ok(await until(() => hello.length > 0), text.slice(0, 500));
  return {
    decisions,
    hello,
    text: () => text,
    has: (count) => until(() => decisions.length >= count),
    close: () => void request.destroy(),
  };
}
