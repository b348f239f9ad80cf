import { REDIRECT } from '../../gateway/server-client/status-fault.ts';
import { StorageUnavailable, StorageUnusable } from '../../storage/engine/errors.ts';
import { bad, type Seen } from './finding.ts';

/** Error code of Node.js, undici or OpenSSL → remedy for the operator. */
const remedies: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not resolve: correct the name, or add it to DNS',
  EAI_AGAIN: 'the DNS servers do not answer: check /etc/resolv.conf and the network',
  ECONNREFUSED: 'nothing listens there: start the program, or correct host and port',
  ECONNRESET: 'it closed the connection: check that it speaks the protocol of the address, http: or https:',
  EHOSTUNREACH: 'the host is unreachable: check routes and firewalls',
  ENETUNREACH: 'the host is unreachable: check routes and firewalls',
  ETIMEDOUT: 'check whether a firewall drops the packets',
  UND_ERR_CONNECT_TIMEOUT: 'check whether a firewall drops the packets, or raise `timeout: { connect }`',
  UND_ERR_SOCKET: 'it closed the connection: check that it speaks the protocol of the address, http: or https:',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'it offers no HTTP/2: leave `http2` out',
  NO_HTTP2: 'it offers no HTTP/2: leave `http2` out',
  TRUSTS_NOBODY: 'the files of `tls` cannot be used: correct them',
  EPROTO: 'it does not speak TLS: if that is intended, change `https:` to `http:` in the URL',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: if that is intended, change `https:` to `http:` in the URL',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: if that is intended, change `https:` to `http:` in the URL',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it there',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check both clocks',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is not trusted: add it, or the certificate of its authority, to `tls: { ca }`',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate authority is not trusted here: name it in `tls: { ca }`',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for other names, which its subjectAltName lists: correct the host, set `tls: { server_name }`, or issue a certificate for this host',
};

/** Also finds a code inside a sentence, for a caller that has only the sentence. */
export function faultRemedy(detail: string, otherwise: string): string {
  if (detail.includes(REDIRECT)) return 'if you trust the target of the redirect, write its address instead';
  const code = detail.match(/\b[A-Z][A-Z0-9_]{4,}\b/g)?.find((each) => Object.hasOwn(remedies, each));
  return (code === undefined ? undefined : remedies[code]) ?? otherwise;
}

/** The error code, or the message if there is no code. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If a name has several addresses, the parts of the error have the codes.
  if (error instanceof AggregateError && error.errors.length > 0) return errorCodeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The finding for a store that does not answer. Any other error is a bug, and is thrown again. */
export function storeFault(error: unknown, otherwise: string): Seen {
  if (!(error instanceof StorageUnavailable || error instanceof StorageUnusable)) throw error;
  const detail = reasonsOf(error);
  return bad(detail, faultRemedy(detail, otherwise));
}

/** The message of the program, then the messages of the database. */
function reasonsOf(error: Error): string {
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  const below = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : reasonsOf(cause);
  return message.includes(below) || below === '' ? message : `${message}: ${below}`;
}
