// `node listeners.ts WAY COUNT PORT`: so many processes at one port, each answering with its number.
import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type Socket } from 'node:net';

const [way = '', countText = '1', portText = '0', own = ''] = process.argv.slice(2);
const [count, port] = [Number(countText), Number(portText)];
const host = '127.0.0.1';

/** How connections get to the workers: what the primary does, and what each worker does. */
interface Way {
  primary(): void;
  worker(server: Server): void;
}

const ways: Readonly<Record<string, Way>> = {
  'reuse-port': {
    primary: () => void forkAll(),
    worker: (server) => server.listen({ host, port, reusePort: true }),
  },
  'round-robin': {
    primary: () => clustered(cluster.SCHED_RR),
    worker: (server) => server.listen({ host, port }),
  },
  'shared-handle': {
    primary: () => clustered(cluster.SCHED_NONE),
    worker: (server) => server.listen({ host, port }),
  },
  'fewest-first': { primary: handOut, worker: takeIn },
};

function forkAll(): ChildProcess[] {
  return Array.from({ length: count }, (_, index) =>
    fork(import.meta.filename, [way, countText, portText, String(index)]),
  );
}

function clustered(policy: number): void {
  cluster.schedulingPolicy = policy;
  cluster.setupPrimary({ exec: import.meta.filename, args: [way, countText, portText, 'clustered'] });
  for (let index = 0; index < count; index++) cluster.fork();
}

/** The worker with the fewest open connections gets the next. */
function handOut(): void {
  const workers = forkAll().map((child) => ({ child, open: 0 }));
  for (const worker of workers) worker.child.on('message', () => worker.open--);
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    const [next] = workers.toSorted((one, other) => one.open - other.open);
    if (next === undefined) return;
    next.open++;
    next.child.send('connection', socket);
  });
  server.listen(port, host);
}

function takeIn(server: Server): void {
  process.on('message', (_message, socket: Socket) => {
    socket.allowHalfOpen = true;
    socket.once('close', () => process.send?.('closed'));
    server.emit('connection', socket);
  });
}

const chosen = ways[way];
if (chosen === undefined) throw new Error(`the ways are: ${Object.keys(ways).join(', ')}`);
if (own === '') chosen.primary();
else chosen.worker(createHttpServer((_request, response) => response.end(String(process.pid))));
process.on('disconnect', () => process.exit());
