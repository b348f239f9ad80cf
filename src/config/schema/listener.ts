import type { Static } from 'typebox';
import * as Type from 'typebox';
import { type Address, address, flag, named, oneOf, port, record, text } from '../words/schema.ts';

export const clientAuthModes = ['none', 'optional', 'required'] as const;

const Tls = record(
  {
    cert: text(undefined, 'File: the certificate and those that lead to a root, PEM.'),
    key: text(undefined, 'File: its private key, PEM.'),
    client_ca: Type.Optional(text(undefined, 'File: who may issue the certificates of clients, PEM.')),
    client_auth: oneOf(
      clientAuthModes,
      'none',
      'Clients must show a certificate (required), or may (optional). The upstream gets it in Client-Cert (RFC 9440). With `optional`, a client may show none, but a shown one must be valid.',
    ),
  },
  undefined,
  'TLS 1.2 or newer. The files are read again when they change.',
);

export type TlsConfig = Static<typeof Tls>;

export interface Listen extends Address {
  readonly tls?: TlsConfig;
  readonly http2?: boolean;
}

/** Where clients connect: an address, or its parts with TLS. */
export function listen(fallback: string, description: string) {
  const parts = record({
    host: text(undefined, 'A name or an IP address.'),
    port: port('0 takes any free port.'),
    tls: Type.Optional(Tls),
    http2: flag(false, 'true: clients that ask for it by ALPN speak HTTP/2, all others HTTP/1.1. Needs `tls`.'),
  });
  return Type.Unsafe<Listen>({ anyOf: [address(), parts], default: fallback, description });
}

const HealthPass = record(
  {
    upstream: text(undefined, 'The name of one of `upstreams`.'),
    path: text(undefined, 'The target of the health check.'),
  },
  undefined,
  'A path of an upstream that probes may ask for, without a credential.',
);

export type HealthPassConfig = Static<typeof HealthPass>;

export type HealthListen = Address | { readonly listen: Address; readonly pass: Record<string, HealthPassConfig> };

/** Where probes connect: an address, or one with paths that lead on to an upstream. */
export function healthListen(description: string) {
  const parts = record({
    listen: address(undefined, 'Where probes connect.'),
    pass: named(HealthPass, {}, 'Path → upstream and path there; GET, HEAD.'),
  });
  return Type.Unsafe<HealthListen>({ anyOf: [address(), parts], description });
}

/** Either way of writing it, as one. */
export function healthParts(health: HealthListen): { listen: Address; pass: Record<string, HealthPassConfig> } {
  return 'listen' in health ? health : { listen: health, pass: {} };
}
