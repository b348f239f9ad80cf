import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { TlsConfig } from './listener.ts';
import { type Place, readReferred, type Unreadable } from './referred-file.ts';

/** What a TLS listener works with, PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
}

export interface TlsFault {
  /** The key of the configuration that names the file. */
  readonly key: 'cert' | 'key' | 'client_ca';
  readonly message: string;
  readonly hint?: string;
}

export type ReadTls =
  | { readonly ok: true; readonly material: TlsMaterial }
  | { readonly ok: false; faults: TlsFault[] };

/**
 * Reads and judges the files whole. An authority that cannot be read is a fault like any other: without one, a library
 * would fall back to those that it knows (advisory 61).
 */
export function readTls(tls: TlsConfig, place: Place): ReadTls {
  const faults: TlsFault[] = [];
  const read = (key: TlsFault['key'], path: string): Buffer | undefined => {
    const file = readReferred(path, place);
    const fault = file.ok ? pemFaults[key](file.bytes, path) : file;
    if (fault !== undefined) faults.push({ key, message: fault.message, hint: fault.hint });
    return file.ok && fault === undefined ? file.bytes : undefined;
  };
  const cert = read('cert', tls.cert);
  const key = read('key', tls.key);
  const ca = tls.client_ca === undefined ? undefined : read('client_ca', tls.client_ca);
  if (cert !== undefined && key !== undefined && !belongTogether(cert, key))
    faults.push({ key: 'key', message: `the file ${tls.key} is not the key of the certificate in ${tls.cert}` });
  if (cert === undefined || key === undefined || faults.length > 0) return { ok: false, faults };
  return { ok: true, material: { cert, key, ca } };
}

/** The certificates of those who may vouch for a server, PEM: the whole file is judged, as `client_ca` is. */
export function readAuthorities(path: string, place: Place): { readonly ok: true; readonly pem: Buffer } | Unreadable {
  const file = readReferred(path, place);
  if (!file.ok) return file;
  const fault = certificateFault(file.bytes, path);
  return fault === undefined ? { ok: true, pem: file.bytes } : { ok: false, ...fault };
}

type PemFault = { readonly message: string; readonly hint: string } | undefined;

const pemFaults: Record<TlsFault['key'], (bytes: Buffer, path: string) => PemFault> = {
  cert: certificateFault,
  client_ca: certificateFault,
  key: (bytes, path) =>
    privateKey(bytes) === undefined
      ? { message: `the file ${path} holds no private key that can be used`, hint: 'PEM, without a passphrase' }
      : undefined,
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificateFault(bytes: Buffer, path: string): PemFault {
  const blocks = bytes.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length > 0 && blocks.every((block) => certificate(block) !== undefined)) return undefined;
  return {
    message: `the file ${path} holds no certificate that can be used`,
    hint: 'PEM: -----BEGIN CERTIFICATE-----',
  };
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
