/** Where a store is, as its URL says. */
export type StoragePlace =
  | {
      readonly kind: 'file';
      /** Relative to the configuration file that names it. */
      readonly path: string;
    }
  /** In this process alone, and gone with it. */
  | { readonly kind: 'memory' }
  | { readonly kind: 'server' };

/** The URLs of one storage engine: their form in a configuration file, and facts that need no engine. */
export interface StorageUrl {
  /** As messages call the engine. */
  readonly name: string;
  /** The part before the first colon. */
  readonly schemes: readonly string[];
  /** What a URL begins with, as a regular expression. Something must follow. */
  readonly pattern: string;
  /** What to write, in the descriptions of configuration keys and in hints. */
  readonly written: string;
  /** @param location what follows the first colon; of a server it does not matter */
  readonly place: (location: string) => StoragePlace;
  /** Present where the store is a server, whose URL has an authority (RFC 3986 §3.2). */
  readonly connection?: ConnectionParameters;
}

/** The query of a URL that leads to a server. */
export interface ConnectionParameters {
  /** All that there are. */
  readonly known: readonly string[];
  /** Each of them says what protects the connection. Without any of them it is plain text. */
  readonly protection: readonly [string, ...string[]];
  /** What to add to the URL: the safe choice, and the one that says that nothing is protected. */
  readonly advice: { readonly safe: string; readonly plain: string };
}

/** SQLite's own name for a database without a file. */
export const IN_MEMORY = ':memory:';

/**
 * The one grammar of `storage`: the schemas of configuration files, their rules, the doctor, the commands and the engines
 * read it. How each is opened and read: `storage/engines.ts`.
 */
export const storageUrls = {
  sqlite: {
    name: 'sqlite',
    schemes: ['sqlite'],
    pattern: 'sqlite:',
    written: 'sqlite:FILE, relative to this file',
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

/** What a schema accepts, as a regular expression. */
export function storagePattern(urls = all): string {
  return `^(${urls.map(({ pattern }) => pattern).join('|')}).+`;
}

/** What the author of a configuration file may write. */
export function storageWritten(urls = all): string {
  return urls.map(({ written }) => written).join(', or ');
}

/** The engines that are servers, in the words of descriptions. */
export function storageServers(urls = all): string {
  return serversOf(urls)
    .map(({ name }) => name)
    .join(' or ');
}

/** Schemes of URLs that may hold a password. */
export function storageServerSchemes(urls = all): readonly string[] {
  return serversOf(urls).flatMap(({ schemes }) => schemes);
}

function serversOf(urls: readonly StorageUrl[]): readonly StorageUrl[] {
  return urls.filter(({ place }) => place('').kind === 'server');
}

/** The row of a URL, and what follows the scheme. Undefined: no row has the scheme. */
export function splitStorageUrl<Row extends StorageUrl>(
  url: string,
  rows: readonly Row[],
): { readonly row: Row; readonly location: string } | undefined {
  const [scheme = '', ...location] = url.split(':');
  const row = rows.find(({ schemes }) => schemes.includes(scheme));
  return row && { row, location: location.join(':') };
}

/** Undefined: no row has the scheme. */
export function storagePlace(url: string, urls = all): StoragePlace | undefined {
  const split = splitStorageUrl(url, urls);
  return split?.row.place(split.location);
}

/** The row of a URL that leads to a server, where no key can lie beside the database. Undefined: it leads to none. */
export function storageServer(url: string, urls = all): StorageUrl | undefined {
  const split = splitStorageUrl(url, urls);
  return split?.row.place(split.location).kind === 'server' ? split.row : undefined;
}

/** The URL of a database in a file. */
export function storageFile(path: string, urls = all): string {
  const [scheme = ''] = urls.find(({ place }) => place(path).kind === 'file')?.schemes ?? [];
  return `${scheme}:${path}`;
}
