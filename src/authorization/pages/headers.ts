import { formActionSource } from './redirect.ts';

const fixed = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Headers of every page. Browsers apply `form-action` to the redirect after a form POST too (CSP 3 §6.3.1). So a page whose
 * form can lead back to an application names the redirect address of this transaction.
 */
export function pageHeaders(redirectUri?: string): Readonly<Record<string, string>> {
  const target = redirectUri === undefined ? undefined : formActionSource(redirectUri);
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action 'self'${target === undefined ? '' : ` ${target}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return { ...fixed, 'content-security-policy': policy.join('; ') };
}
