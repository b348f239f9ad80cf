/** Error code of Node.js, undici or OpenSSL → what is wrong, and the remedy for the operator. */
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
  UNABLE_TO_GET_ISSUER_CERT:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate: name one in `tls: { cert, key }`',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for other names, which its subjectAltName lists: correct the host, set `tls: { server_name }`, or issue a certificate for this host',
};

/** Also finds a code inside a sentence, for a caller that has only the sentence. Undefined: the table has no such code. */
export function connectionRemedy(detail: string): string | undefined {
  const code = detail.match(/\b[A-Z][A-Z0-9_]{4,}\b/g)?.find((each) => Object.hasOwn(remedies, each));
  return code === undefined ? undefined : remedies[code];
}
