/** The place of a store, according to its URL. */
export type StoragePlace =
  | {
      readonly kind: 'file';
      /** Relative to the folder of the configuration file. */
      readonly path: string;
    }
  /** In the memory of this process only. */
  | { readonly kind: 'memory' }
  | { readonly kind: 'server' };

/** The URLs of one storage engine: their form in a configuration file, and facts for code that does not load the engine. */
export interface StorageUrl {
  /** The name of the engine in messages. */
  readonly name: string;
  /** The part before the first colon. */
  readonly schemes: readonly string[];
  /** The start of a URL, as a regular expression. Something must follow it. */
  readonly pattern: string;
  /** The form of the URL, for descriptions of configuration keys and for hints. */
  readonly written: string;
  /** @param location the part after the first colon; it does not matter for a server */
  readonly place: (location: string) => StoragePlace;
  /** Present if the store is a server, whose URL has an authority (RFC 3986 §3.2). */
  readonly connection?: ConnectionParameters;
}

/** The query parameters of a URL for a server. */
export interface ConnectionParameters {
  /** All supported parameters. */
  readonly known: readonly string[];
  /** Each of these sets the protection of the connection. Without any of them, the connection is plain text. */
  readonly protection: readonly [string, ...string[]];
  /** Parameters to add to the URL: the safe choice, and the explicit choice of no protection. */
  readonly advice: { readonly safe: string; readonly plain: string };
}

/** SQLite's own name for a database without a file. */
export const IN_MEMORY = ':memory:';

/**
 * The only grammar of `storage`. The schemas of configuration files, their rules, the doctor, the commands and the engines use
 * it. `storage/engines.ts` opens and reads each kind.
 */
export const storageUrls = {
  sqlite: {
    name: 'sqlite',
    schemes: ['sqlite'],
    pattern: 'sqlite:',
    written: 'sqlite:FILE, relative to the configuration file',
    place: (location) => (location === IN_MEMORY ? { kind: 'memory' } : { kind: 'file', path: location }),
  },
  postgres: {
    name: 'postgres',
    schemes: ['postgres', 'postgresql'],
    pattern: 'postgres(ql)?://',
    written: 'postgres://USER@HOST/DATABASE',
    place: () => ({ kind: 'server' }),
    connection: {
      known: ['host', 'sslmode', 'application_name', 'sslrootcert', 'sslcert', 'sslkey'],
      protection: ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'],
      advice: { safe: '?sslmode=verify-full', plain: '?sslmode=disable' },
    },
  },
} as const satisfies Readonly<Record<string, StorageUrl>>;

const all: readonly StorageUrl[] = Object.values(storageUrls);

/** The pattern for the schema, as a regular expression. */
export function storagePattern(urls = all): string {
  return `^(${urls.map(({ pattern }) => pattern).join('|')}).+`;
}

/** The possible forms of a URL, for the author of a configuration file. */
export function storageWritten(urls = all): string {
  return urls.map(({ written }) => written).join(', or ');
}

/** The engines that are servers, in words for descriptions. */
export function storageServers(urls = all): string {
  return serversOf(urls)
    .map(({ name }) => name)
    .join(' or ');
}

/** Schemes of URLs that may contain a password. */
export function storageServerSchemes(urls = all): readonly string[] {
  return serversOf(urls).flatMap(({ schemes }) => schemes);
}

function serversOf(urls: readonly StorageUrl[]): readonly StorageUrl[] {
  return urls.filter(({ place }) => place('').kind === 'server');
}

/** The row of a URL, and the part after the scheme. Undefined: the scheme is unknown. */
export function splitStorageUrl<Row extends StorageUrl>(
  url: string,
  rows: readonly Row[],
): { readonly row: Row; readonly location: string } | undefined {
  const [scheme = '', ...location] = url.split(':');
  const row = rows.find(({ schemes }) => schemes.includes(scheme));
  return row && { row, location: location.join(':') };
}

/** Undefined: the scheme is unknown. */
export function storagePlace(url: string, urls = all): StoragePlace | undefined {
  const split = splitStorageUrl(url, urls);
  return split?.row.place(split.location);
}

/** The row of a URL for a server, which has no place for a key file beside the database. Undefined: it is not a server. */
export function storageServer(url: string, urls = all): StorageUrl | undefined {
  const split = splitStorageUrl(url, urls);
  return split?.row.place(split.location).kind === 'server' ? split.row : undefined;
}

/** The URL of a database in a file. */
export function storageFile(path: string, urls = all): string {
  const [scheme = ''] = urls.find(({ place }) => place(path).kind === 'file')?.schemes ?? [];
  return `${scheme}:${path}`;
}
