import { fold } from './fold-name.ts';

/**
 * In these a proxy that ends TLS names the certificate of its client: RFC 9440, and what nginx, HAProxy, Apache, Tomcat,
 * WebLogic and the balancers of AWS, Azure, Cloudflare and Google are set up to write. No client may say it of itself
 * (RFC 9440 §2.4). Each stands for itself and for every name that goes on with a hyphen.
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

/** Whether it is one of these, as `pass_headers` spells them. */
export function isCertificateHeader(name: string): name is CertificateHeader {
  return (certificateHeaders as readonly string[]).includes(name);
}

/** Which of these a header of this name, in any spelling, belongs to. */
export function certificateHeaderOf(name: string): CertificateHeader | undefined {
  const plain = `${fold(name)}-`;
  return certificateHeaders.find((each) => plain.startsWith(`${fold(each)}-`));
}

/** Of the certificate of our own client the fields are ours to write. */
export const CLIENT_CERT: CertificateHeader = 'Client-Cert';
