import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** The size of the queue of connections that are not accepted. Linux completes one handshake more than this. */
const BACKLOG = 1;

export interface Unaccepting {
  close(): Promise<void>;
}

/** A listener of 127.0.0.1 whose queue is full: a SYN to it gets no answer. */
export async function unaccepting(port: number): Promise<Unaccepting> {
  const hold = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { port, hold } });
  await new Promise((listens, fails) => worker.once('message', listens).once('error', fails));
  const fillers = await fill(port);
  return {
    async close() {
      for (const socket of fillers) socket.destroy();
      const ended = new Promise((exit) => worker.once('exit', exit));
      Atomics.store(hold, 0, 1);
      Atomics.notify(hold, 0);
      await ended;
    },
  };
}

/** Connections are opened until one gets no answer. */
async function fill(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    if (!(await connects(socket))) return sockets;
    if (sockets.length > 64) throw new Error('the queue of the listener never fills');
  }
}

function connects(socket: Socket): Promise<boolean> {
  return new Promise((answer) => {
    const timer = setTimeout(() => answer(false), 150);
    socket.once('connect', () => {
      clearTimeout(timer);
      answer(true);
    });
  });
}

// libuv accepts connections as soon as its loop turns, so the loop of this thread is blocked.
if (!isMainThread && workerData?.hold instanceof Int32Array) {
  const { port, hold } = workerData as { port: number; hold: Int32Array };
  const server = createServer().listen({ port, host: '127.0.0.1', backlog: BACKLOG }, () => {
    parentPort?.postMessage('listening');
    Atomics.wait(hold, 0, 0);
    process.exit();
  });
  server.on('error', (error) => {
    throw error;
  });
}
