import type { Test } from 'tap';
import { onePath, type ServedFile, servedFile, writeIn } from '../support/served-file.ts';
import { tlsFile } from '../support/tls-file.ts';

/** A gateway in its own process, with TLS and HTTP/2, and one route at `/a`. */
export function served(t: Test, upstream: string, more = '', flags: readonly string[] = []): Promise<ServedFile> {
  const write = (directory: string, listeners: string) => {
    const tls = `tls: { cert: ${tlsFile('server.crt')}, key: ${tlsFile('server.key')} }, http2: true`;
    const parts = listeners.replace(/listen: (.*):(\d+)/, `listen: { host: $1, port: $2, ${tls} }`);
    writeIn(directory, 'gateway.yaml', parts + more + onePath(upstream, '/a'));
  };
  return servedFile(t, write, flags);
}
