import type { Finding, Pointer } from './problem.ts';

/** An HMAC key as text: base64url below `secret_base64url`, otherwise the bytes of the text itself. */
export function hmacSecretFaults(pointer: Pointer, key: string, text: string): readonly Finding[] {
  if (key === 'secret_base64url' && !/^[A-Za-z0-9_-]+=*$/.test(text))
    return [{ pointer, message: 'the value is not base64url', hint: 'letters, digits, `-` and `_` (RFC 4648 §5)' }];
  const length = Buffer.byteLength(text, key === 'secret' ? 'utf8' : 'base64url');
  return length >= 32
    ? []
    : [
        {
          pointer,
          message: `the secret has ${length} bytes; an HMAC key has at least 32 (RFC 7518 §3.2)`,
          hint: 'make one with `openssl rand -hex 32`',
        },
      ];
}
