import { connect, type Socket } from 'node:net';
import { median } from '../report.ts';

export interface Others {
  /** Milliseconds. */
  readonly p50: number;
  readonly requests: number;
  /** Answers other than 200. */
  readonly refused: number;
}

const FROM = '127.0.0.2';
const CLIENTS = 4;

/**
 * The answers that clients of another address get during the attack. Each client sends a GET and a form with its token
 * in turn.
 */
export async function others(port: number, seconds: number, form: string): Promise<Others> {
  const end = performance.now() + seconds * 1000;
  const requests = [
    'GET /public/a HTTP/1.1\r\nHost: a\r\n\r\n',
    `POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  ];
  const took: number[] = [];
  let refused = 0;
  const client = async () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: FROM, noDelay: true });
    for (let turn = 0; performance.now() < end; turn++) {
      const began = performance.now();
      const status = await answered(socket, requests[turn % requests.length] as string);
      took.push(performance.now() - began);
      if (status !== '200') refused++;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { p50: median(took), requests: took.length, refused };
}

/** Answers here are small and arrive in one piece. */
function answered(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (text: Buffer) => {
      socket.off('error', reject);
      resolve(text.toString('latin1', 9, 12));
    };
    socket.once('data', done).once('error', reject);
    socket.write(request);
  });
}
