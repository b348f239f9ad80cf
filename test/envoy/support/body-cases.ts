import { type CaseBody, type CompileCase, caseOf, type Lines } from './case.ts';

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
/** More than the 64 KiB of a body that an asking Envoy sends. */
const long = Buffer.alloc(200_000, everyByte);
const form = Buffer.from('access_token=x&a=%2B+b');

/** What a proxy could change, cut or read as text. */
const BODIES: Readonly<Record<string, CaseBody>> = {
  'no byte': { bytes: Buffer.alloc(0) },
  'every byte': { bytes: everyByte },
  'a long body': { bytes: long },
  'a body like a request': {
    bytes: Buffer.from('0\r\n\r\nGET /files/secret HTTP/1.1\r\nHost: api.example.com\r\n\r\n'),
  },
  'no chunk': { bytes: Buffer.alloc(0), chunks: [] },
  'every byte in chunks': { bytes: everyByte, chunks: [1, 2, 100] },
  'a long body in chunks': { bytes: long, chunks: [3, 70_000, 1] },
};

const LINES = ['POST /orders/new', 'PUT /orders/new', 'PUT /open/x', 'POST /open/x', 'POST /maybe/x', 'GET /open/x'];

/** Requests with a body: with no token, with one that fits, and with one that does not. */
export function* bodyCases(known: ReadonlyMap<string, Lines>): Generator<CompileCase> {
  for (const credential of ['none', 'both', 'scope without rights'])
    for (const line of LINES)
      for (const [name, body] of Object.entries(BODIES)) {
        const headers: Lines = [...(known.get(credential) ?? []), ['Content-Type', 'application/octet-stream']];
        yield caseOf(line, `${credential} and ${name}`, headers, { body });
      }
  const typed: Lines = [['Content-Type', 'application/x-www-form-urlencoded']];
  yield caseOf('POST /orders/new', 'a token in a form', typed, { body: { bytes: form } });
  yield caseOf('POST /maybe/x', 'a token in a form', typed, { body: { bytes: form, chunks: [5] } });
}
