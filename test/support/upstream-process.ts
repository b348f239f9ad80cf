import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';

/** An upstream in a separate process, which can die and stall like a real one. */
export interface UpstreamProcess {
  readonly url: string;
  readonly authority: string;
  start(): Promise<void>;
  /** Immediately, as with kill -9. */
  kill(): Promise<void>;
  /** Its kernel still accepts connections, and nothing answers. */
  stall(): void;
  resume(): void;
}

const program = `
  const { createServer } = require('node:http');
  createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk) => { bytes += chunk.length; });
    request.on('end', () => setTimeout(() => {
      response.end(JSON.stringify({ port: request.socket.localPort, bytes }));
    }, 5));
  }).listen(Number(process.argv[1]), '127.0.0.1', () => process.stdout.write('listening'));
`;

/** Answers each request after 5 ms with its port and the bytes of the body. Ends after the test. */
export async function upstreamProcess(t: Test): Promise<UpstreamProcess> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const start = async () => {
    const started = spawn(process.execPath, ['-e', program, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await once(started.stdout, 'data');
  };
  t.teardown(kill);
  await start();
  const authority = `127.0.0.1:${port}`;
  return {
    url: `http://${authority}`,
    authority,
    start,
    kill,
    stall: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
