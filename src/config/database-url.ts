import { isLoopback } from './host.ts';
import type { Finding, Pointer } from './problem.ts';
import { parseUrl } from './url-rules.ts';

export const isPostgres = (storage: string) => storage.startsWith('postgres');

/** What is wrong with the URL of a PostgreSQL database; of another one, nothing. */
export function databaseFaults(pointer: Pointer, storage: string): readonly Finding[] {
  if (!isPostgres(storage)) return [];
  const url = parseUrl(storage);
  const hint = 'write postgres://USER@HOST/DATABASE';
  if (url === undefined) return [{ pointer, message: 'this is not the URL of a database', hint }];
  if (url.pathname.length <= 1) return [{ pointer, message: 'the URL names no database', hint }];
  return plainTextFaults(pointer, url);
}

/** A certificate that is named is asked for, also without `sslmode`. */
const ofTls = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

function plainTextFaults(pointer: Pointer, url: URL): readonly Finding[] {
  if (ofTls.some((name) => url.searchParams.has(name)) || isNear(hostOf(url))) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: 'without `sslmode` the connection to the database can be read and changed on the way',
      hint: 'write ?sslmode=verify-full, or ?sslmode=disable where that does not matter',
    },
  ];
}

function hostOf(url: URL): string {
  return url.searchParams.get('host') ?? url.hostname;
}

/** This machine, or a socket in one of its folders; without a host it is this machine, unless PGHOST says otherwise. */
function isNear(host: string): boolean {
  return host === '' || host.startsWith('/') || /^%2f/i.test(host) || isLoopback(host);
}
