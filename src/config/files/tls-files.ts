import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type FileContext, passesOver, readReferred, type Unreadable } from './referred-file.ts';

/** The keys of every `tls` that name a file, in the order of their checks. */
const tlsKeys = ['ca', 'cert', 'key', 'client_ca'] as const;
export type TlsKey = (typeof tlsKeys)[number];

/** `tls` of a listener, an upstream, an authorization server or a Redis. */
export type TlsPaths = { readonly [Key in TlsKey]?: string | undefined };

export interface TlsFault {
  /** The key of `tls` that names the file. */
  readonly key: TlsKey;
  readonly message: string;
  readonly hint?: string;
}

/** `pem`: the files that `tls` names, by its keys. */
export type ReadTls =
  | { readonly ok: true; readonly pem: { readonly [Key in TlsKey]?: Buffer } }
  | { readonly ok: false; readonly faults: readonly TlsFault[] };

const holds: Readonly<Record<TlsKey, 'secrets' | 'no secret'>> = {
  ca: 'no secret',
  cert: 'no secret',
  key: 'secrets',
  client_ca: 'no secret',
};

/**
 * Reads and checks the files completely. An unreadable authority is an error like any other: without it, a library would fall
 * back to its default authorities (advisory 61). `cert` and `key` are read only if both are set.
 */
export function readTls(paths: TlsPaths, place: FileContext): ReadTls {
  const { cert, key, ...authorities } = paths;
  const named: TlsPaths = cert === undefined || key === undefined ? authorities : paths;
  const pem: { [Key in TlsKey]?: Buffer } = {};
  const faults: TlsFault[] = [];
  for (const name of tlsKeys) {
    const read = readPem(name, named[name], place);
    if (read?.ok) pem[name] = read.pem;
    else if (read !== undefined) faults.push({ key: name, message: read.message, hint: read.hint });
  }
  if (pem.cert !== undefined && pem.key !== undefined && !belongTogether(pem.cert, pem.key))
    faults.push({ key: 'key', message: `the file ${key} is not the key of the certificate in ${cert}` });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, pem };
}

function readPem(key: TlsKey, path: string | undefined, place: FileContext) {
  if (path === undefined || passesOver(path, place, holds[key])) return undefined;
  const file = readReferred(path, place);
  if (!file.ok) return file;
  return judges[key](file.bytes, path) ?? ({ ok: true, pem: file.bytes } as const);
}

type Judge = (bytes: Buffer, path: string) => Unreadable | undefined;

const judges: Readonly<Record<TlsKey, Judge>> = {
  ca: certificateFault,
  cert: certificateFault,
  key: keyFault,
  client_ca: certificateFault,
};

function keyFault(bytes: Buffer, path: string): Unreadable | undefined {
  if (privateKey(bytes) !== undefined) return undefined;
  const message = `the file ${path} has no usable private key`;
  return { ok: false, message, hint: 'PEM, without a passphrase' };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificateFault(bytes: Buffer, path: string): Unreadable | undefined {
  const blocks = bytes.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length > 0 && blocks.every((block) => certificate(block) !== undefined)) return undefined;
  const message = `the file ${path} has no usable certificate`;
  return { ok: false, message, hint: 'PEM: -----BEGIN CERTIFICATE-----' };
}

function certificate(pem: Buffer | string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function privateKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** The first certificate of the file is the listener's own. */
function belongTogether(cert: Buffer, key: Buffer): boolean {
  const own = privateKey(key);
  return own !== undefined && certificate(cert)?.checkPrivateKey(own) === true;
}
