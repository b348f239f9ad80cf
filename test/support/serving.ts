import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Listens on loopback until the test ends, which also ends its connections. Returns the address. */
export async function serving(t: Test, server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
