import t from 'tap';
import { OAuthError, type OAuthErrorCode, oauthErrors } from '../../src/oauth/errors.ts';

const allowed = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

t.test('every sentence of the table is in the characters of RFC 6749 §5.2', async (t) => {
  for (const code of Object.keys(oauthErrors) as OAuthErrorCode[]) {
    const { error, error_description } = new OAuthError(code).body();
    t.match(error_description, allowed, code);
    t.match(error, allowed);
    t.strictSame(error_description, oauthErrors[code].text);
  }
});

t.test('a description is cleaned, the detail is never in the body', async (t) => {
  const body = new OAuthError('invalid_request', { description: 'a "b" \\ é\n', detail: 'hush' }).body();
  t.strictSame(body, { error: 'invalid_request', error_description: 'a ?b? ? ??' });
});
