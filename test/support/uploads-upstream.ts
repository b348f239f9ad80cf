import type { Test } from 'tap';
import { answerText, type RawConnection, rawUpstream } from './raw-upstream.ts';

export interface UploadsUpstream {
  readonly url: string;
  /** Uploads that hold a connection now, and the most at any time. */
  readonly busy: number;
  readonly most: number;
  /** Connections that were ever opened. */
  readonly opened: number;
}

/**
 * Answers a GET immediately, and a chunked POST at its end. Counts the connections that uploads hold in the meantime.
 */
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

/** The most recent request line. */
function lastLine(received: string): string {
  return [...received.matchAll(/^[A-Z]+ \S+ HTTP\/1\.1\r$/gm)].at(-1)?.[0] ?? '';
}
