import { REDIRECT } from '../../gateway/server-client/status-fault.ts';
import { StorageUnavailable, StorageUnusable } from '../../storage/engine/errors.ts';
import { bad, type Seen } from './finding.ts';

/** What an error code of Node.js, undici or OpenSSL means to the operator. */
const remedies: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not resolve: correct it, or ask why the name servers do not know it',
  EAI_AGAIN: 'the name servers do not answer: see /etc/resolv.conf, and whether they can be reached',
  ECONNREFUSED: 'nothing listens there: start the program, or correct host and port',
  ECONNRESET: 'it closed the connection: check that it speaks the protocol of the address, http: or https:',
  EHOSTUNREACH: 'the host is unreachable: check routes and firewalls',
  ENETUNREACH: 'the host is unreachable: check routes and firewalls',
  ETIMEDOUT: 'check whether a firewall drops the packets',
  UND_ERR_CONNECT_TIMEOUT: 'check whether a firewall drops the packets, or raise `timeout: { connect }`',
  UND_ERR_SOCKET: 'it closed the connection: check that it speaks the protocol of the address, http: or https:',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'it offers no HTTP/2: leave `http2` out',
  NO_HTTP2: 'it offers no HTTP/2: leave `http2` out',
  TRUSTS_NOBODY: 'see the files of `tls`',
  EPROTO: 'it does not speak TLS: write http: if that is intended',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: write http: if that is intended',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: write http: if that is intended',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it there',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check both clocks',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted: name it, or its issuer, in `tls: { ca }`',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate authority is not trusted here: name it in `tls: { ca }`',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let it send the whole chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let it send the whole chain',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name, and the valid names are in subjectAltName: correct the host, name it in `tls: { server_name }`, or have the certificate made with it',
};

/** Codes that stand in a sentence are found there too, so that one who has only the sentence has the remedy. */
export function faultRemedy(detail: string, otherwise: string): string {
  if (detail.includes(REDIRECT)) return 'write the final address, if you know that it is the right one';
  const code = detail.match(/\b[A-Z][A-Z0-9_]{4,}\b/g)?.find((each) => Object.hasOwn(remedies, each));
  return (code === undefined ? undefined : remedies[code]) ?? otherwise;
}

/** The code where there is one, otherwise what is said. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // where a name has several addresses, the code is in the parts
  if (error instanceof AggregateError && error.errors.length > 0) return errorCodeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The message of a store that does not answer. Any other error is a defect, and thrown again. */
export function storeFault(error: unknown, otherwise: string): Seen {
  if (!(error instanceof StorageUnavailable || error instanceof StorageUnusable)) throw error;
  const detail = reasonsOf(error);
  return bad(detail, faultRemedy(detail, otherwise));
}

/** The program's own message comes first, then the database's. */
function reasonsOf(error: Error): string {
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  const below = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : reasonsOf(cause);
  return message.includes(below) || below === '' ? message : `${message}: ${below}`;
}
