import t from 'tap';
import { metadataUrls } from '../../src/oauth/metadata.ts';

t.test('the metadata of an issuer are at the addresses of RFC 8414 §3.1 and OpenID Connect Discovery §4', async (t) => {
  t.strictSame(metadataUrls('https://a.example'), [
    'https://a.example/.well-known/oauth-authorization-server',
    'https://a.example/.well-known/openid-configuration',
  ]);
  for (const issuer of ['https://a.example:8443/b/c', 'https://a.example:8443/b/c/']) {
    t.strictSame(metadataUrls(issuer), [
      'https://a.example:8443/.well-known/oauth-authorization-server/b/c',
      'https://a.example:8443/.well-known/openid-configuration/b/c',
      'https://a.example:8443/b/c/.well-known/openid-configuration',
    ]);
  }
});
