import t from 'tap';
import { responseFields } from '../../../src/gateway/client/response-fields.ts';

const rules = {
  bodiless: false,
  trailers: false,
  private: false,
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
