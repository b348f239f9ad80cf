import type { ClientResponse } from '../../../../src/gateway/client/client-message.ts';
import type { HeardSocket } from '../../../../src/gateway/listener/http1/heard-socket.ts';
import { type ConnectionOwner, PlainConnection } from '../../../../src/gateway/listener/http1/plain-connection.ts';
import { LentWire } from '../../../support/memory-wire.ts';
import type { ReadRequest } from './read-request.ts';

export interface OurReading {
  readonly requests: readonly ReadRequest[];
  /** Every byte that is left for Node's server. Undefined: the connection was not handed over. */
  readonly unread: Buffer | undefined;
  /** After the last answer nothing more is read. */
  readonly ended: boolean;
}

/** When a request is answered: as it arrives, or once everything has arrived. */
export type Pace = 'at once' | 'late';

class Wire extends LentWire {
  destroySoon(): void {
    this.destroy();
  }
}

/** How our listener reads these pieces, each in a reused buffer. Contents arrive a turn of the event loop later. */
export async function ourReading(pieces: readonly Buffer[], pace: Pace = 'at once'): Promise<OurReading> {
  const requests: ReadRequest[] = [];
  const owed: ClientResponse[] = [];
  const unread: Buffer[] = [];
  let isHandedOver = false;
  const owner: ConnectionOwner = {
    headerSize: 16 * 1024,
    headersTimeout: 10_000,
    idle: 75_000,
    keepAliveLines: '',
    handle({ request, response, target }) {
      const { method = '', rawHeaders } = request;
      const { shouldKeepAlive: keeps } = response;
      const read = { method, target, rawHeaders: [...rawHeaders], keeps, content: '', kind: 'request' as const };
      requests.push(read);
      request.on('data', (chunk) => {
        read.content += chunk.toString('latin1');
      });
      request.resume();
      if (pace === 'at once') answer(response);
      else owed.push(response);
    },
    handOver(_socket, rest) {
      isHandedOver = true;
      unread.push(rest);
    },
    headFailed() {},
    closed() {},
  };
  const wire = new Wire();
  new PlainConnection(wire as unknown as HeardSocket, owner, 0);
  for (const piece of pieces) {
    if (isHandedOver) unread.push(piece);
    else wire.says([piece], false);
  }
  for (let response = owed.shift(); response !== undefined; response = owed.shift()) {
    answer(response);
    await nextBegins();
  }
  const { destroyed: ended } = wire;
  wire.destroy();
  return { requests, unread: isHandedOver ? Buffer.concat(unread) : undefined, ended };
}

/** The next request of a pipeline begins when the code that ended the answer has returned. */
function nextBegins(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function answer(response: ClientResponse): void {
  response.writeHead(200, ['content-length', '0']);
  response.end();
}
