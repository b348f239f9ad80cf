import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClientConfig } from 'pg';
import { storageUrls } from '../../base/storage-urls.ts';
import { StorageUnusable } from '../engine/errors.ts';

type Tls = Exclude<ClientConfig['ssl'], undefined>;

/**
 * sslmode → what pg verifies. `certificates` has the files of the other parameters. Unlike in libpq, `require` verifies the
 * certificate and its name. No mode falls back to plain text or accepts any certificate: otherwise an attacker on the
 * connection could read and change everything.
 */
const modes: Readonly<Record<string, (certificates: object) => Tls>> = {
  disable: () => false,
  require: (certificates) => ({ ...certificates, rejectUnauthorized: true }),
  'verify-full': (certificates) => ({ ...certificates, rejectUnauthorized: true }),
  'verify-ca': (certificates) => ({ ...certificates, rejectUnauthorized: true, checkServerIdentity: () => undefined }),
};

/** URL parameter that names a PEM file → the option of TLS. */
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

const known: ReadonlySet<string> = new Set(storageUrls.postgres.connection.known);

export interface PostgresAddress {
  readonly client: ClientConfig;
  /** For messages: without the password. */
  readonly shown: string;
}

/**
 * `//USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. Missing parts come from PGUSER, PGPASSWORD, PGHOST, PGPORT and PGDATABASE.
 * Only the URL decides about TLS. PGSSLMODE and similar variables are not read, because with some of their values pg accepts
 * any certificate. Without `sslmode` and certificates there is no TLS.
 */
export function postgresAddress(location: string, directory: string): PostgresAddress {
  const url = parse(location);
  refuseUnknown(url.searchParams);
  const client = {
    ...partsOf(url),
    application_name: url.searchParams.get('application_name') ?? 'gatehouse',
    ssl: tlsOf(url.searchParams, directory),
  };
  return { client, shown: `postgres://${url.host}${url.pathname}` };
}

function parse(location: string): URL {
  const url = URL.parse(`postgres:${location}`);
  if (url === null || !location.startsWith('//') || url.hash !== '') throw unreadable();
  return url;
}

/** Does not quote the text, because it contains the password. */
function unreadable(): StorageUnusable {
  return new StorageUnusable(
    'storage: not a PostgreSQL URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE. In a name or password, write % and two hexadecimal digits for each of : / ? # [ ] @ %',
  );
}

function partsOf(url: URL): ClientConfig {
  const parts = {
    user: decode(url.username),
    password: decode(url.password),
    host: url.searchParams.get('host') ?? decode(url.hostname.replace(/^\[(.*)\]$/, '$1')),
    port: url.port === '' ? undefined : Number(url.port),
    database: decode(url.pathname.slice(1)),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable();
  }
}

function refuseUnknown(parameters: URLSearchParams): void {
  const unknown = [...parameters.keys()].find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new StorageUnusable(
    `storage: the URL has an unknown parameter ${unknown}: use one of ${[...known].join(', ')}`,
  );
}

function tlsOf(parameters: URLSearchParams, directory: string): Tls {
  const certificates = certificatesOf(parameters, directory);
  const mode = parameters.get('sslmode') ?? (Object.keys(certificates).length > 0 ? 'verify-full' : 'disable');
  const tls = Object.hasOwn(modes, mode) ? modes[mode]?.(certificates) : undefined;
  if (tls !== undefined && !(mode === 'verify-ca' && !('ca' in certificates))) return tls;
  const remedy = tls === undefined ? `write one of ${Object.keys(modes).join(', ')}` : 'it needs sslrootcert=FILE';
  throw new StorageUnusable(`storage: sslmode=${mode} is not possible: ${remedy}`);
}

function certificatesOf(parameters: URLSearchParams, directory: string): Readonly<Record<string, string>> {
  const named = Object.entries(files).flatMap(([parameter, option]) => {
    const file = parameters.get(parameter);
    return file === null ? [] : [[option, readPem(resolve(directory, file), parameter)]];
  });
  return Object.fromEntries(named);
}

function readPem(file: string, parameter: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StorageUnusable(`storage: the file ${file} of ${parameter} cannot be read`, { cause });
  }
}
