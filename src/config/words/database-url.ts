import { type ConnectionParameters, storagePlace, storageServer } from '../../base/storage-urls.ts';
import { isLoopback } from './host.ts';
import type { Finding, Pointer } from './problem.ts';
import { parseUrl } from './url-rules.ts';

/** The faults of a database server's URL; none for other storage. */
export function databaseFaults(pointer: Pointer, storage: string): readonly Finding[] {
  const server = storageServer(storage);
  if (server === undefined) return [];
  const url = parseUrl(storage);
  const hint = `write ${server.written}`;
  if (url === undefined) return [{ pointer, message: 'this is not the URL of a database', hint }];
  if (url.pathname.length <= 1) return [{ pointer, message: 'the URL names no database', hint }];
  return server.connection === undefined ? [] : plainTextFaults(pointer, url, server.connection);
}

/** The faults of a database that another process writes. */
export function sharedDatabaseFaults(pointer: Pointer, storage: string): readonly Finding[] {
  if (storagePlace(storage)?.kind !== 'memory') return databaseFaults(pointer, storage);
  const hint = 'name the file that the authorization service writes';
  return [{ pointer, message: 'a database in memory is not shared with another process', hint }];
}

/** If the URL names a certificate authority, the driver verifies the certificate, even without another setting for TLS. */
function plainTextFaults(pointer: Pointer, url: URL, { protection, advice }: ConnectionParameters): readonly Finding[] {
  if (protection.some((name) => url.searchParams.has(name)) || isNear(hostOf(url))) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: `without \`${protection[0]}\`, others can read and change the traffic to the database`,
      hint: `write ${advice.safe}, or ${advice.plain} if this is not a risk for you`,
    },
  ];
}

function hostOf(url: URL): string {
  return url.searchParams.get('host') ?? url.hostname;
}

/** True for this machine, or a socket in one of its folders. An empty host means this machine, unless PGHOST names another. */
function isNear(host: string): boolean {
  return host === '' || host.startsWith('/') || /^%2f/i.test(host) || isLoopback(host);
}
