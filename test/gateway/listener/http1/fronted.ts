import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { IncomingRequest } from '../../../../src/gateway/client/incoming-request.ts';
import { Stalls } from '../../../../src/gateway/client/stalls.ts';
import { FrontedServer } from '../../../../src/gateway/listener/http1/front.ts';
import type { Reads } from '../../../../src/gateway/listener/http1/heard-socket.ts';
import { type SettableClock, settableClock } from '../../../support/settable-clock.ts';

export interface Fronted {
  readonly server: FrontedServer;
  readonly port: number;
  readonly clock: SettableClock;
  /** Requests that our listener read, in order. */
  readonly served: readonly IncomingRequest[];
  /** Codes of errors that both listeners report in the same way. */
  readonly faults: readonly (string | undefined)[];
  /** Resolves once every connection was checked twice. */
  checked(): Promise<void>;
}

/** Milliseconds between two checks of all connections. */
const INTERVAL = 10;

/**
 * Our listener in front of Node's server. `handle` answers what ours reads, `byNode` the rest. Time does not pass
 * unless the test moves the clock.
 */
export async function fronted(
  t: Test,
  reads: Reads,
  handle: (arrival: IncomingRequest) => void,
  byNode: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => void response.end(),
): Promise<Fronted> {
  const clock = settableClock();
  const stalls = new Stalls(clock, INTERVAL);
  const served: IncomingRequest[] = [];
  const faults: (string | undefined)[] = [];
  const serving = {
    reads,
    clock,
    stalls,
    handle(arrival: IncomingRequest) {
      served.push(arrival);
      handle(arrival);
    },
  };
  const server = new FrontedServer({ requireHostHeader: false, maxHeaderSize: 16 * 1024 }, byNode, serving);
  Object.assign(server, { headersTimeout: 10_000, keepAliveTimeout: 75_000 });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    faults.push(error.code);
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    stalls.close();
    server.close();
    server.closeAllConnections();
  });
  const checked = () =>
    new Promise<void>((resolve) => {
      // A round of checks begins when the previous one has ended, so two have ended when the third begins.
      let rounds = 0;
      const probe = {
        check() {
          if (++rounds < 3) return;
          stalls.forget(probe);
          resolve();
        },
      };
      stalls.watch(probe);
    });
  return { server, port: (server.address() as AddressInfo).port, clock, served, faults, checked };
}

/** Answers with the target. */
export function echo({ response, target }: IncomingRequest): void {
  response.writeHead(200, ['content-length', String(target.length)]);
  response.end(target, 'latin1');
}
