import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

// `node slow-program.ts`: the first line of its input says which connections to open. Each further line is answered
// with how long the connections that the other side closed had lasted, and how many are open. It ends at the end of its
// input.

export interface SlowPlan {
  readonly port: number;
  readonly kind: SlowKind;
  readonly connections: number;
  /** Milliseconds in which all of them are opened, and between two pieces of one. */
  readonly within: number;
  readonly every: number;
}

export interface Slow {
  /** How many should be opened. */
  readonly begun: number;
  readonly open: number;
  /** Milliseconds from when it became slow to its end, each. */
  readonly lasted: readonly number[];
}

interface Kind {
  readonly begin: string;
  /** Another piece; undefined: nothing is sent, and little is read. */
  readonly drip: string | undefined;
}

const head = (line: string, ...fields: string[]) => [line, 'Host: api.example.com', ...fields].join('\r\n');
const form = 'Content-Type: application/x-www-form-urlencoded';

const kinds = {
  heads: { begin: `${head('GET /public/a HTTP/1.1')}\r\n`, drip: 'X-A: b\r\n' },
  bodies: { begin: `${head('POST /public/a HTTP/1.1', 'Content-Length: 100000')}\r\n\r\nsome`, drip: 'more' },
  'chunked bodies': {
    begin: `${head('POST /public/a HTTP/1.1', 'Transfer-Encoding: chunked')}\r\n\r\n4\r\nsome\r\n`,
    drip: '1\r\nx\r\n',
  },
  forms: { begin: `${head('POST /form HTTP/1.1', form, 'Content-Length: 60000')}\r\n\r\naccess_token=`, drip: 'more' },
  readers: { begin: `${head('GET /public/large HTTP/1.1')}\r\n\r\n`, drip: undefined },
  'silent ones': { begin: '', drip: '' },
} satisfies Record<string, Kind>;

export type SlowKind = keyof typeof kinds;
export const slowKinds = Object.keys(kinds) as readonly SlowKind[];

/** Bytes that a slow reader reads each time. */
const SIP = 50;

function slow({ port, kind, every }: SlowPlan, lasted: number[], open: Set<Socket>): void {
  const { begin, drip }: Kind = kinds[kind];
  const socket = connect({ port, host: '127.0.0.1' });
  const began = performance.now();
  open.add(socket);
  if (drip === undefined) socket.pause().on('readable', () => {});
  else socket.resume();
  if (begin !== '') socket.write(begin, 'latin1');
  const timer = setInterval(() => {
    if (drip === undefined) socket.read(SIP);
    else if (drip !== '') socket.write(drip, 'latin1');
  }, every);
  const over = () => {
    clearInterval(timer);
    if (open.delete(socket)) lasted.push(performance.now() - began);
    socket.destroy();
  };
  // After a refusal comes the end, which is what counts.
  socket.on('error', over).on('end', over).on('close', over);
}

if (import.meta.main) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const plan: SlowPlan = JSON.parse(String((await lines.next()).value));
  const lasted: number[] = [];
  const open = new Set<Socket>();
  let begun = 0;
  const begin = () => {
    begun++;
    slow(plan, lasted, open);
  };
  for (let count = 0; count < plan.connections; count++) setTimeout(begin, (count / plan.connections) * plan.within);
  for (let line = await lines.next(); line.done !== true; line = await lines.next())
    process.stdout.write(`${JSON.stringify({ begun, open: open.size, lasted: lasted.splice(0) })}\n`);
  process.exit();
}
