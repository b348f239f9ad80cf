import { fold } from './fold-name.ts';

/**
 * Headers in which a proxy that ends TLS passes its client's certificate: RFC 9440, and the usual headers of nginx, HAProxy,
 * Apache, Tomcat, WebLogic and the load balancers of AWS, Azure, Cloudflare and Google. A client must not set them (RFC 9440
 * §2.4). Each name also includes every longer name after a hyphen.
 */
export const certificateHeaders = [
  'Client-Cert',
  'Client-Certificate',
  'Cert-Chain',
  'X-SSL',
  'SSL-Client',
  'X-Client-Cert',
  'X-Client-Certificate',
  'X-Client-Verify',
  'X-Client-DN',
  'X-ARR-ClientCert',
  'X-Amzn-Mtls',
  'CF-Client-Cert',
  'CF-Cert',
  'WL-Proxy-Client-Cert',
] as const;

export type CertificateHeader = (typeof certificateHeaders)[number];

/** True for one of these names, in the spelling of `pass_headers`. */
export function isCertificateHeader(name: string): name is CertificateHeader {
  return (certificateHeaders as readonly string[]).includes(name);
}

const beginnings = certificateHeaders.map((name) => ({ name, beginning: `${fold(name)}-` }));

/** The entry of this list that a header name, in any spelling, belongs to. */
export function certificateHeaderOf(name: string): CertificateHeader | undefined {
  const plain = `${fold(name)}-`;
  return beginnings.find(({ beginning }) => plain.startsWith(beginning))?.name;
}

/** The gateway writes this header for its own client's certificate. */
export const CLIENT_CERT: CertificateHeader = 'Client-Cert';
