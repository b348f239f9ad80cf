import { corpus } from './corpora.ts';

/** A case of the Http11Probe corpus. */
export interface ProbeCase {
  readonly id: string;
  readonly description: string;
  readonly level: string;
  readonly expected: string;
  readonly payload: string;
}

interface RawCase extends Omit<ProbeCase, 'payload'> {
  readonly payload_latin1: string;
}

export function allProbes(host: string): ProbeCase[] {
  const { cases } = JSON.parse(corpus('http11probe_cases.json')) as { cases: RawCase[] };
  return cases.map(({ payload_latin1, ...rest }) => ({
    ...rest,
    payload: payload_latin1.replaceAll('{{HOST}}', host),
  }));
}

/** The cases at level Must, with a Host that the gateway has a route for. */
export function mustCases(host: string): ProbeCase[] {
  return allProbes(host).filter(({ level }) => level === 'Must');
}

/** refused: 400 or a closed connection. cut: the head may pass, but the body never arrives whole. */
export type Treatment = 'refused' | 'cut' | 'answered';

export interface Judged {
  readonly treatment: Treatment;
  /** For an answered case: how the request must have reached the upstream; absent: in any form, or not at all. */
  readonly status?: readonly number[];
  readonly why: string;
}

const conflict = 'Content-Length beside Transfer-Encoding, or a transfer coding other than one chunked (RFC 9112 §6.1)';
const repeatedLength = 'a list of lengths, even of equal ones (RFC 9112 §6.3 allows to refuse)';
const valid = 'a valid request';
const ignoredTrailer =
  'a trailer that must not be merged into the header (RFC 9110 §6.5.1): the request is valid without it';
const badName = 'the name is no token, or white space stands before the colon (RFC 9112 §5.1)';
const fold = 'line folding (RFC 9112 §5.2)';

/** The cases that the corpus's suite judges with code. Here each has a result by its RFC reason. */
export const customCases: Readonly<Record<string, Judged>> = {
  'COMP-UNKNOWN-TE-501': { treatment: 'refused', why: conflict },
  'COMP-POST-CL-BODY': { treatment: 'answered', status: [200], why: valid },
  'COMP-POST-CL-UNDERSEND': { treatment: 'cut', why: 'the body never arrives whole' },
  'COMP-CHUNKED-BODY': { treatment: 'answered', status: [200], why: valid },
  'COMP-CHUNKED-MULTI': { treatment: 'answered', status: [200], why: valid },
  'COMP-CHUNKED-NO-FINAL': { treatment: 'cut', why: 'the last chunk never comes' },
  'COMP-UPGRADE-POST': {
    treatment: 'answered',
    status: [200, 400, 405],
    why: 'an upgrade with POST may be ignored; it must not be 101',
  },
  'COMP-UPGRADE-MISSING-CONN': {
    treatment: 'answered',
    status: [200, 400],
    why: 'an Upgrade that Connection does not name is ignored (RFC 9110 §7.8)',
  },
  'COMP-UPGRADE-UNKNOWN': {
    treatment: 'answered',
    status: [200, 400],
    why: 'an unknown protocol is ignored (RFC 9110 §7.8)',
  },
  'COMP-CHUNKED-EXTENSION': {
    treatment: 'answered',
    status: [200, 400],
    why: 'a chunk extension is ignored (RFC 9112 §7.1.1); refusing it is allowed',
  },
  'COMP-UPGRADE-INVALID-VER': {
    treatment: 'answered',
    status: [200, 400, 426],
    why: 'the version of a WebSocket is the upstream’s to judge; it must not be 101 by the gateway’s own doing',
  },
  'COMP-CONNECTION-CLOSE': { treatment: 'answered', status: [200], why: valid },
  'COMP-CHUNKED-TRAILER-VALID': { treatment: 'answered', status: [200], why: valid },
  'COMP-CHUNKED-HEX-UPPERCASE': { treatment: 'answered', status: [200], why: valid },
  'COMP-RANGE-POST': { treatment: 'answered', status: [200], why: valid },
  'COMP-UPGRADE-HTTP10': { treatment: 'answered', status: [200, 400], why: 'HTTP/1.0 has no upgrade (RFC 9110 §7.8)' },
  'COMP-HEAD-NO-BODY': { treatment: 'answered', status: [200], why: valid },
  'COMP-405-ALLOW': { treatment: 'answered', status: [200], why: 'the route takes every method' },
  'COMP-DATE-HEADER': { treatment: 'answered', status: [200], why: valid },
  'COMP-NO-1XX-HTTP10': {
    treatment: 'answered',
    status: [200],
    why: 'an expectation in HTTP/1.0 is ignored (RFC 9110 §10.1.1)',
  },
  'COMP-NO-CL-IN-204': { treatment: 'answered', status: [200], why: valid },
  'SMUG-TE-XCHUNKED': { treatment: 'refused', why: conflict },
  'SMUG-TE-TRAILING-SPACE': { treatment: 'refused', why: conflict },
  'SMUG-TE-IDENTITY': { treatment: 'refused', why: conflict },
  'SMUG-TRANSFER_ENCODING': {
    treatment: 'answered',
    status: [200, 400],
    why: 'Transfer_Encoding is a field without meaning; Content-Length alone frames the body',
  },
  'SMUG-CL-COMMA-SAME': { treatment: 'refused', why: repeatedLength },
  'SMUG-CL-COMMA-TRIPLE': { treatment: 'refused', why: repeatedLength },
  'SMUG-CHUNKED-WITH-PARAMS': { treatment: 'refused', why: conflict },
  'SMUG-EXPECT-100-CL': { treatment: 'answered', status: [200], why: valid },
  'SMUG-TRAILER-CL': { treatment: 'answered', status: [200, 400], why: ignoredTrailer },
  'SMUG-TRAILER-TE': { treatment: 'answered', status: [200, 400], why: ignoredTrailer },
  'SMUG-TRAILER-HOST': { treatment: 'answered', status: [200, 400], why: ignoredTrailer },
  'SMUG-TRAILER-AUTH': { treatment: 'answered', status: [200, 400], why: ignoredTrailer },
  'SMUG-HEAD-CL-BODY': {
    treatment: 'answered',
    status: [200, 400],
    why: 'the body is consumed or refused, never left on the connection',
  },
  'SMUG-OPTIONS-CL-BODY': {
    treatment: 'answered',
    status: [200, 400],
    why: 'the body is consumed or refused, never left on the connection',
  },
  'SMUG-TE-OBS-FOLD': { treatment: 'refused', why: fold },
  'SMUG-TE-TAB-BEFORE-VALUE': { treatment: 'refused', why: conflict },
  'SMUG-ABSOLUTE-URI-HOST-MISMATCH': { treatment: 'refused', why: 'the target names another host than Host' },
  'SMUG-TRAILER-CONTENT-TYPE': { treatment: 'answered', status: [200, 400], why: ignoredTrailer },
  'SMUG-CLTE-CONN-CLOSE': { treatment: 'refused', why: conflict },
  'SMUG-TECL-CONN-CLOSE': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-DESYNC': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-CL-PLUS': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-CL-NON-NUMERIC': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-TE-OBS-FOLD': { treatment: 'refused', why: fold },
  'SMUG-CLTE-SMUGGLED-HEAD': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-TE-TRAILING-SPACE': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-TE-LEADING-COMMA': { treatment: 'refused', why: conflict },
  'SMUG-CLTE-SMUGGLED-GET-TE-CASE-MISMATCH': { treatment: 'refused', why: conflict },
  'SMUG-TE-DUPLICATE-HEADERS-SMUGGLED-GET': { treatment: 'refused', why: conflict },
  'SMUG-DUPLICATE-CL-SMUGGLED-GET': { treatment: 'refused', why: repeatedLength },
  'SMUG-TECL-DESYNC': { treatment: 'refused', why: conflict },
  'SMUG-OPTIONS-TE-OBS-FOLD': { treatment: 'refused', why: fold },
  'SMUG-CHUNK-INVALID-SIZE-DESYNC': { treatment: 'cut', why: 'the fault stands in the chunked body' },
  'MAL-POST-CL-HUGE-NO-BODY': { treatment: 'cut', why: 'the body never arrives whole' },
  'NORM-SP-BEFORE-COLON-CL': { treatment: 'refused', why: badName },
  'NORM-TAB-IN-NAME': { treatment: 'refused', why: badName },
};

/** Cases that must get 400 but whose fault is in the body, so that the head may have passed before. */
export const faultyBodies: ReadonlySet<string> = new Set([
  'SMUG-CHUNK-BARE-SEMICOLON',
  'SMUG-CHUNK-EXT-INVALID-TOKEN',
  'SMUG-CHUNK-UNDERSCORE',
  'SMUG-CHUNK-HEX-PREFIX',
  'SMUG-CHUNK-SIZE-PLUS',
  'SMUG-CHUNK-SIZE-TRAILING-OWS',
  'SMUG-CHUNK-LEADING-SP',
  'SMUG-CHUNK-MISSING-TRAILING-CRLF',
  'SMUG-CHUNK-SPILL',
  'SMUG-CHUNK-NEGATIVE',
  'MAL-CHUNK-SIZE-OVERFLOW',
]);
