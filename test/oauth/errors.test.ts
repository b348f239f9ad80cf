import t from 'tap';
import { OAuthError, type OAuthErrorCode, oauthErrors } from '../../src/oauth/errors.ts';

const allowed = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

t.test('every sentence of the table has only characters of RFC 6749 §5.2', async (t) => {
  for (const code of Object.keys(oauthErrors) as OAuthErrorCode[]) {
    const { error, error_description } = new OAuthError(code).body();
    t.match(error_description, allowed, code);
    t.match(error, allowed);
    t.strictSame(error_description, oauthErrors[code].text);
  }
});

t.test('a description is cleaned, and the detail is never in the body', async (t) => {
  const body = new OAuthError('invalid_request', { description: 'a "b" \\ é\n', detail: 'hush' }).body();
  t.strictSame(body, { error: 'invalid_request', error_description: 'a ?b? ? ??' });
});

t.test('every row has a remedy that fits one cell of a table', async (t) => {
  for (const [code, { remedy }] of Object.entries(oauthErrors)) t.match(remedy, /^[A-Z][^|\n]+\.$/, code);
});

t.test('codes that clients must not distinguish have the same error, status and sentence', async (t) => {
  const pairs = [
    ['invalid_client', 'unregistered_client'],
    ['invalid_grant', 'code_used'],
  ] as const;
  for (const [one, other] of pairs) {
    t.strictSame(new OAuthError(one).body(), new OAuthError(other).body());
    t.equal(oauthErrors[one].status, oauthErrors[other].status);
  }
});

t.test('an error has the status of its row and the fields of its answer, and is recognized by its name', async (t) => {
  const headers = { 'www-authenticate': 'Basic realm="x"' };
  const error = new OAuthError('invalid_client', { headers, detail: 'why' });
  t.match(error, { name: 'OAuthError', code: 'invalid_client', status: 401, detail: 'why', headers });
  t.strictSame(new OAuthError('invalid_request').headers, {});
});

t.test('a description has at most 200 characters, whatever it repeats', async (t) => {
  const told = (length: number) => new OAuthError('invalid_request', { description: 'x'.repeat(length) }).body();
  t.equal(told(200).error_description.length, 200);
  t.equal(told(201).error_description.length, 200);
});
