import type { Test } from 'tap';
import { sendAll } from './pipeline.ts';
import { startReader } from './reader-process.ts';
import type { Reader } from './readers.ts';
import { type Served, servedFrom } from './served.ts';

/** A running reader. */
export interface RunningReader {
  readonly reader: Reader;
  /** How it reads the requests with these heads; undefined: it refuses. */
  ask(heads: readonly string[]): Promise<readonly (Served | undefined)[]>;
}

export async function running(t: Test, reader: Reader): Promise<RunningReader> {
  const port = await startReader(t, reader.command);
  const ask = async (heads: readonly string[]) =>
    (await follow(port, heads)).map((body) => {
      const served = body === undefined ? undefined : servedFrom(body);
      return served === undefined || reader.decode === undefined ? served : reader.decode(served);
    });
  return { reader, ask };
}

const MOST_REDIRECTS = 4;

/** The bodies of the answers. If a server redirects to its normalized path, the test follows the redirect. */
async function follow(port: number, heads: readonly string[], left = MOST_REDIRECTS): Promise<(string | undefined)[]> {
  const replies = await sendAll(
    port,
    heads.map((head) => `${head}\r\n\r\n`),
  );
  const bodies = replies.map((reply) => (reply?.status === 200 ? reply.body : undefined));
  const moved = replies.flatMap((reply, index) =>
    reply?.location === undefined ? [] : [{ index, head: redirected(heads[index] ?? '', reply.location) }],
  );
  if (moved.length === 0 || left === 0) return bodies;
  const then = await follow(
    port,
    moved.map(({ head }) => head),
    left - 1,
  );
  for (const [at, { index }] of moved.entries()) bodies[index] = then[at];
  return bodies;
}

function redirected(head: string, location: string): string {
  const target = location.replace(/^https?:\/\/[^/]*/, '') || '/';
  return head.replace(/^GET \S+/, () => `GET ${target}`);
}
