import type { Test } from 'tap';
import type { RawClient } from './raw-client.ts';
import type { Script } from './raw-upstream.ts';
import { requestText } from './request-text.ts';

/** An upstream that accepts the handshake of a WebSocket, and then echoes everything. */
export const echoes: Script = ({ socket }) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  socket.on('data', (chunk) => socket.write(chunk));
};

/** Opens a WebSocket to it. */
export async function openWebSocket(t: Test, client: RawClient): Promise<void> {
  const headers = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
  ] as const;
  client.send(requestText({ target: '/public/live', headers }));
  t.equal((await client.read())?.status, 101);
}

/** Waits for a message on an open WebSocket. */
export async function assertEcho(t: Test, client: RawClient): Promise<void> {
  client.send('hello');
  await client.arrived(5);
  t.equal(client.unread.toString(), 'hello');
}
