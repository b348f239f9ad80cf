import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Test } from 'tap';
import { tlsFile } from '../../../support/tls-file.ts';

const pair = { cert: readFileSync(tlsFile('server.crt')), key: readFileSync(tlsFile('server.key')) };

/** Listens as `localhost` until the test is over. */
export async function tlsServer(t: Test, port: number, handle: RequestListener): Promise<void> {
  const server = createServer(pair, handle);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
}
