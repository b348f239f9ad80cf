import t from 'tap';
import { LastMade } from '../../../src/base/last-made.ts';
import { knownResponseLines, ownResponseFields, responseFields } from '../../../src/gateway/client/response-fields.ts';
import type { SizedLines } from '../../../src/gateway/message/lines.ts';

const rules = {
  bodiless: false,
  trailers: false,
  private: false,
  dropped: undefined,
  own: [],
  crossOrigin: undefined,
  requestIdHeader: 'x-request-id',
  requestId: 'r',
  keepsRequestId: false,
} as const;

t.test('no upstream can ask a client for the password of its proxy (RFC 9110 §11.7)', async (t) => {
  const raw = ['Proxy-Authenticate', 'Basic realm="x"', 'proxy-authentication-info', 'nextnonce="n"', 'X-Word', 'w'];
  const { fields } = responseFields(
    raw.map((each) => Buffer.from(each)),
    rules,
  );
  t.match(fields.join(' '), /X-Word w/);
  t.notMatch(fields.join(' '), /proxy-/i);
});

t.test('lines that are remembered, and those of this answer, are the same as without a memory', async (t) => {
  const raw = ['Authentication-Info', 'of="the upstream"', 'Content-Length', '3', 'X-Word', 'w'];
  const memory = new LastMade<SizedLines>();
  const known: unknown[] = [];
  for (const own of [['authentication-info', 'nc=1'], ['authentication-info', 'nc=2'], []] as const) {
    const wanted = { ...rules, own };
    const lines = knownResponseLines(raw, wanted, memory);
    known.push(lines);
    t.strictSame([...(lines?.lines.fields ?? []), ...ownResponseFields(wanted)], responseFields(raw, wanted).fields);
    t.equal(lines?.length, 3);
  }
  t.equal(known[0], known[1], 'only the names of our own fields matter');
});
