import { checkServerIdentity as check, type PeerCertificate } from 'node:tls';

/**
 * Whose certificate it is by its subjectAltName alone (RFC 9525 §6.3): where there is no name of DNS, Node.js falls back to
 * the common name, which no authority has to prove. For `checkServerIdentity` of TLS.
 */
export function namedServer(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return check(host, { ...certificate, subject: subject as PeerCertificate['subject'] });
}
