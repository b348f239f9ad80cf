import type { Static } from 'typebox';
import * as Type from 'typebox';
import { type Address, address, flag, named, oneOf, port, record, text } from '../words/schema.ts';

/** The code that reads clients' requests. */
export const listeners = ['node', 'auto'] as const;

export const clientAuthModes = ['none', 'optional', 'required'] as const;

/** The keys of `tls` of every listener. */
export const certificate = {
  cert: text(undefined, 'This PEM file holds the certificate and its chain.'),
  key: text(undefined, 'This PEM file holds the private key.'),
};

const CLIENT_AUTH =
  'none: the gateway requests no certificate. optional: a client may connect without a certificate, but a certificate that it presents must be valid. required: each client must present a valid certificate.';

function tlsOf(clientAuth: string) {
  return record(
    {
      ...certificate,
      client_ca: Type.Optional(
        text(undefined, 'This PEM file holds the certificate authorities that may issue client certificates.'),
      ),
      client_auth: oneOf(clientAuthModes, 'none', clientAuth),
    },
    undefined,
    'The listener speaks TLS 1.2 or newer. The gateway reads the files again when they change.',
  );
}

/** At a listener whose clients call the API, the upstream also gets the certificate. */
const ClientTls = tlsOf(`${CLIENT_AUTH} The upstream gets the certificate in the header Client-Cert (RFC 9440).`);
const Tls = tlsOf(CLIENT_AUTH);

export type TlsConfig = Static<typeof Tls>;

export interface Listen extends Address {
  readonly tls?: TlsConfig;
  readonly http2?: boolean;
}

/** An address for programs, which may have TLS. */
export function listenWithTls(description: string, fallback?: string) {
  const parts = record({
    host: text(undefined, 'The listener has this name or IP address.'),
    port: port('The listener has this port. 0 means any free port.'),
    tls: Type.Optional(Tls),
  });
  return Type.Unsafe<Listen>({ anyOf: [address(), parts], ...(fallback && { default: fallback }), description });
}

/** The address for clients, or a map with the address and TLS settings. */
export function listen(fallback: string, description: string) {
  const parts = record({
    host: text(undefined, 'The listener has this name or IP address.'),
    port: port('The listener has this port. 0 means any free port.'),
    tls: Type.Optional(ClientTls),
    http2: flag(
      false,
      'true: the listener offers HTTP/2 by ALPN. Clients without HTTP/2 use HTTP/1.1. This setting requires `tls`.',
    ),
  });
  return Type.Unsafe<Listen>({ anyOf: [address(), parts], default: fallback, description });
}

const HealthPass = record(
  {
    upstream: text(undefined, 'Requests go to this upstream, a name in `upstreams`.'),
    path: text(undefined, 'The gateway requests this target from the upstream.'),
  },
  undefined,
  'Probes may request this path without a credential. The gateway forwards the request to an upstream.',
);

export type HealthPassConfig = Static<typeof HealthPass>;

export type HealthListen = Address | { readonly listen: Address; readonly pass: Record<string, HealthPassConfig> };

/** The address for probes, or a map with the address and paths of upstreams. */
export function healthListen(description: string) {
  const parts = record({
    listen: address(undefined, 'Probes connect to this address.'),
    pass: named(HealthPass, {}, 'The gateway forwards GET and HEAD requests for each of these paths to an upstream.'),
  });
  return Type.Unsafe<HealthListen>({ anyOf: [address(), parts], description });
}

/** Converts both forms to one. */
export function healthParts(health: HealthListen): { listen: Address; pass: Record<string, HealthPassConfig> } {
  return 'listen' in health ? health : { listen: health, pass: {} };
}
