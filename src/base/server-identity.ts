import { checkServerIdentity as check, type PeerCertificate } from 'node:tls';

/**
 * Checks a certificate only by its subjectAltName (RFC 9525 §6.3). Without a DNS name there, Node.js falls back to the common
 * name, which no authority has to verify. For `checkServerIdentity` of TLS.
 */
export function namedServer(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return check(host, { ...certificate, subject: subject as PeerCertificate['subject'] });
}
