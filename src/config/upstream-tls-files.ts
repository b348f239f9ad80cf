import type { TlsConfig } from './listener.ts';
import type { Place } from './referred-file.ts';
import { readAuthorities, readTls } from './tls-files.ts';
import type { UpstreamTlsConfig } from './upstream.ts';

/** PEM. */
export interface UpstreamPem {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface UpstreamTlsFault {
  /** Of `tls`. */
  readonly key: 'ca' | 'cert' | 'key';
  readonly message: string;
  readonly hint?: string;
}

export type ReadUpstreamTls =
  | { readonly ok: true; readonly pem: UpstreamPem }
  | { readonly ok: false; readonly faults: readonly UpstreamTlsFault[] };

/** Reads and judges the files of `tls` of an upstream whole. */
export function readUpstreamTls({ ca, cert, key }: UpstreamTlsConfig, place: Place): ReadUpstreamTls {
  const authorities = ca === undefined ? undefined : readAuthorities(ca, place);
  const own = cert === undefined || key === undefined ? undefined : readTls(identity(cert, key), place);
  const faults = [
    ...(authorities?.ok === false
      ? [{ key: 'ca' as const, message: authorities.message, hint: authorities.hint }]
      : []),
    ...(own?.ok === false
      ? own.faults.map(({ key: at, ...fault }) => ({ key: at === 'cert' ? at : 'key', ...fault }) as const)
      : []),
  ];
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    pem: {
      ...(authorities?.ok === true && { ca: authorities.pem.toString('latin1') }),
      ...(own?.ok === true && { cert: own.material.cert.toString('latin1'), key: own.material.key.toString('latin1') }),
    },
  };
}

function identity(cert: string, key: string): TlsConfig {
  return { cert, key, client_auth: 'none' };
}
