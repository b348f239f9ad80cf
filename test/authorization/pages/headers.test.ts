import t from 'tap';
import { pageHeaders } from '../../../src/authorization/pages/pages.ts';

const policy = (redirectUri?: string) => pageHeaders(redirectUri)['content-security-policy'] ?? '';
const formAction = (redirectUri: string) => /form-action ([^;]*)/.exec(policy(redirectUri))?.[1];

t.test('a page may load only our style and images, and no site may frame it', async (t) => {
  t.strictSame(pageHeaders(), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});

t.test('forms may lead only to addresses with the scheme of the redirect address', async (t) => {
  const rows: readonly (readonly [redirectUri: string, source: string])[] = [
    ['https://shop.example.com:8443/callback?a=b', "'self' https:"],
    ['http://127.0.0.1:3000/cb', "'self' http:"],
    ['http://[::1]:3000/cb', "'self' http:"],
    ['com.example.app:/cb', "'self' com.example.app:"],
    ['COM.example.app://host/cb', "'self' com.example.app:"],
  ];
  for (const [redirectUri, expected] of rows) t.equal(formAction(redirectUri), expected, redirectUri);
});

t.test('no redirect address can add a directive or a source', async (t) => {
  for (const redirectUri of [
    'https://a;script-src *',
    "https://a'unsafe-inline'/",
    'https://*/',
    'https:;default-src *',
  ])
    t.match(formAction(redirectUri), /^'self'( https:)?$/, redirectUri);
  for (const redirectUri of ['', 'x', 'javascript:alert(1)', 'data:text/html,x', 'blob:https://a/b', 'a b:c', 'a;b:c'])
    t.equal(formAction(redirectUri), "'self'", redirectUri);
});
