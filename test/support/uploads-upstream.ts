import type { Test } from 'tap';
import { answerText, type RawConnection, rawUpstream } from './raw-upstream.ts';

export interface UploadsUpstream {
  readonly url: string;
  /** Uploads that hold a connection at the moment, and the most that ever did. */
  readonly busy: number;
  readonly most: number;
  /** Connections that were ever opened. */
  readonly opened: number;
}

/** Answers a GET at once, and a chunked POST when its end is here; counts the connections that uploads hold meanwhile. */
export async function uploadsUpstream(t: Test): Promise<UploadsUpstream> {
  const uploads = new Set<RawConnection>();
  let most = 0;
  const { url, connections } = await rawUpstream(t, (connection) => {
    const { socket, received } = connection;
    // The last chunk ends as a head does.
    if (uploads.delete(connection) || lastLine(received).startsWith('GET ')) {
      socket.write(answerText('ok'));
      return;
    }
    uploads.add(connection);
    socket.once('close', () => uploads.delete(connection));
    most = Math.max(most, uploads.size);
  });
  return {
    url,
    get busy() {
      return uploads.size;
    },
    get most() {
      return most;
    },
    get opened() {
      return connections.length;
    },
  };
}

/** The request line that came last. */
function lastLine(received: string): string {
  return [...received.matchAll(/^[A-Z]+ \S+ HTTP\/1\.1\r$/gm)].at(-1)?.[0] ?? '';
}
